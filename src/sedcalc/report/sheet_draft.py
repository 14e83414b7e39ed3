"""What the sections of a calculation sheet share: the ruling, its numbers, references, and where sections stand."""

from collections.abc import Mapping
from typing import Any, Final

from sedcalc.compliance.ruling import Ruling
from sedcalc.report.results import run_object
from sedcalc.report.sheet_blocks import Number, Printer, Ref, Word, Words, number
from sedcalc.units import area_digits

HANDBOOK_703: Final = (
    "Renard, K.G., Foster, G.R., Weesies, G.A., McCool, D.K., Yoder, D.C. (1997). Predicting Soil Erosion by Water: "
    "A Guide to Conservation Planning with the Revised Universal Soil Loss Equation (RUSLE). USDA Agriculture Handbook "
    "703."
)
HANDBOOK_537: Final = (
    "Wischmeier, W.H., Smith, D.D. (1978). Predicting Rainfall Erosion Losses. USDA Agriculture Handbook 537."
)
MCCOOL: Final = (
    "McCool, D.K., Brown, L.C., Foster, G.R., Mutchler, C.K., Meyer, L.D. (1987). Revised slope steepness factor for "
    "the Universal Soil Loss Equation. Transactions of the ASAE 30(5), 1387–1396."
)
IRREGULAR: Final = (
    "Foster, G.R., Wischmeier, W.H. (1974). Evaluating irregular slopes for soil loss prediction. Transactions of the "
    "ASAE 17(2), 305–309."
)
DESMET_GOVERS: Final = (
    "Desmet, P.J.J., Govers, G. (1996). A GIS procedure for automatically calculating the USLE LS factor on "
    "topographically complex landscape units. Journal of Soil and Water Conservation 51(5), 427–433."
)
PER_YEAR: Final = "tons/acre/year"

NOMOGRAPH: Final = (
    "Wischmeier, W.H., Johnson, C.B., Cross, B.V. (1971). A soil erodibility nomograph for farmland and construction "
    "sites. Journal of Soil and Water Conservation 26, 189–193."
)
HIGHWAY_SITE: Final = "U.S. Geological Survey (1985). Water-Resources Investigations Report 83-4216."
CHESAPEAKE: Final = (
    "Boomer, K.B., Weller, D.E., Jordan, T.E. (2008). Empirical models based on the Universal Soil Loss Equation fail "
    "to predict sediment discharges from Chesapeake Bay catchments. Journal of Environmental Quality 37(1), 79–89."
)

_MOST_DIGITS: Final = 6  # of acres and tons: what is smaller is left over from the rounding of sums


def amount(value: float, digits: int = 2, path: str | None = None) -> Number:
    """Return acres or tons as they are printed, with so many decimals, with more where they are few.

    Parameters
    ----------
    value
        Acres or tons.
    digits
        Decimals of amounts that are not small.
    path
        Of the value in the run's JSON, where it has one.
    """
    return number(value, min(area_digits(value, digits), _MOST_DIGITS), path)


class Draft:
    """A sheet in the making.

    Parameters
    ----------
    ruling
        From `sedcalc.check_compliance`.
    numbers
        Number of each section by its name.
    """

    def __init__(self, ruling: Ruling, numbers: Mapping[str, str]) -> None:
        self.ruling = ruling
        self.load = ruling.load
        self.site = ruling.load.site
        self.run: dict[str, Any] = run_object(ruling)
        self.printer = Printer(self.run)
        self.numbers = numbers
        self.references: dict[str, Ref] = {}

    def ref(self, source: str) -> Ref:
        """Return the mark of a source, which then stands among the references."""
        return self.references.setdefault(source, Ref(len(self.references) + 1))

    def cited(self, source: str | None) -> Words:
        """Return the mark of a source as a cell, empty where there is none."""
        return (self.ref(source),) if source else ()

    def word(self, path: str, digits: int) -> Word:
        """Return a number of the run's JSON as it is printed."""
        return self.printer.word(path, digits)

    def cell(self, path: str, digits: int) -> Words:
        """Return the same as a cell."""
        return self.printer.cell(path, digits)

    def number(self, path: str, digits: int) -> Number:
        """Return a number of the run's JSON that is not null."""
        return number(self.printer.at(path), digits, path)

    def amount(self, path: str, digits: int = 2) -> Number:
        """Return the acres or tons at a path, which has some, with so many decimals, with more where they are few."""
        return amount(self.printer.at(path), digits, path)

    def amount_cell(self, path: str, digits: int = 2) -> Words:
        """Return the same as a cell, also of a path that may have none."""
        return self.cell(path, digits) if self.printer.at(path) is None else (self.amount(path, digits),)

    def section(self, name: str) -> str:
        """Return where a section stands, in words."""
        return f"section {self.numbers[name]}"

    def code(self, check: str) -> str:
        """Return the clause of a check in brackets, with a space before it; nothing where the code has none."""
        clause = self.ruling.ordinance.clause(check)
        return f" ({clause})" if clause else ""

    @property
    def limit(self) -> float | None:
        """The limit, where the site is held against it."""
        return self.ruling.limit if self.ruling.status in ("meets", "exceeds") else None

    @property
    def area_name(self) -> str:
        """The governing drainage area, in words."""
        governing = self.ruling.governing
        if governing is None or governing.drainage_area is None:
            return "the site as a whole"
        return f"drainage area {governing.drainage_area}"
