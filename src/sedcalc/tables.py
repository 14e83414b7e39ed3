"""Reference tables by name: rows with their source and status, read from the data folder and checked.

``data/index.toml`` says of each table its file, its key, and of each column its type, unit and physical
range. A table that breaks its own description is refused whole, every fault named by file, line and column.
"""

import csv
import hashlib
import io
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from sedcalc.findings import Finding, InputError, count_of, input_error

STATUSES: Final = ("seen", "recalled", "derived")
"""``seen``: read in a public copy of the source; ``recalled``: general knowledge of the source, never a
silent default; ``derived``: computed by this project from a cited source."""

_TYPES: Final = ("text", "number", "integer")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a reference table.

    Parameters
    ----------
    name
        Heading in the file.
    type
        ``"text"``, ``"number"`` or ``"integer"``.
    unit
        Unit of the values; ``""`` for text, ``"1"`` for dimensionless numbers.
    min, max
        Physical range, both ends allowed, in `unit`.
    blank
        Whether a cell may be empty (it is then None).
    choices
        The only texts allowed, where there are any.
    meaning
        What the column holds, where the name does not say it.
    """

    name: str
    type: str = "text"
    unit: str = ""
    min: float = -math.inf
    max: float = math.inf
    blank: bool = False
    choices: tuple[str, ...] = ()
    meaning: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))
        if self.type not in _TYPES:
            raise ValueError(f"column {self.name}: type {self.type!r} is none of {', '.join(_TYPES)}")


@dataclass(frozen=True, slots=True)
class Table:
    """A reference table.

    Parameters
    ----------
    name
        Name by which `table` finds it.
    title
        What it is, in one line.
    item
        What one row stands for ("cover", "EI zone"); used in messages.
    columns
        Columns of the file, in its order.
    key
        Names of the columns that together name a row.
    rows
        One dict per row, in the order of the file: the columns, and always ``source`` and ``status``. Blank
        cells are None. Not to be modified.
    sha256
        SHA-256 of the file's bytes, hexadecimal.
    source, status
        Source and status of every row where the table has one for all; else None (then they are columns).
    notes
        What a reader must know to use the table.
    """

    name: str
    title: str
    item: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    sha256: str
    source: str | None
    status: str | None
    notes: str
    _by_key: dict[tuple[str, ...], dict[str, Any]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_key: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in self.rows:
            by_key.setdefault(tuple(_match(row[name]) for name in self.key), row)
        object.__setattr__(self, "_by_key", by_key)

    def row(self, *key: object, where: str | None = None) -> dict[str, Any]:
        """Return a copy of the row that a key names.

        Parameters
        ----------
        *key
            One value per key column. Text is matched without regard to case and to spaces around or doubled
            inside; numbers by value.
        where
            Path of the field the key came from, for the message.

        Raises
        ------
        InputError
            If no row has this key; the message lists near ones and how to list all.

        Examples
        --------
        EPA 833-F-00-014, Table 1, as in its worked example for Denver (zone 84, through May 15):

        >>> table("ei_distribution").row(84)["d05_15"]
        9.9
        """
        row = self._by_key.get(tuple(_match(k) for k in key))
        if row is None:
            raise self._unknown(key, where)
        return dict(row)

    def _unknown(self, key: tuple[object, ...], where: str | None) -> InputError:
        message = f"unknown {self.item} {', '.join(repr(k) for k in key)} in table {self.name}"
        if len(self.key) == 1 and isinstance(self.rows[0][self.key[0]], int | float):
            numbers = [row[self.key[0]] for row in self.rows]
            message += f", which goes from {min(numbers)} to {max(numbers)}"
        else:
            message += self._near(key)
        return input_error(
            f"unknown-{self.item.lower().replace(' ', '-')}",
            f"{message}; `sedcalc tables {self.name}` lists all {len(self.rows)}",
            where,
        )

    def _near(self, key: tuple[object, ...]) -> str:
        shown = {", ".join(_match(r[k]) for k in self.key): ", ".join(str(r[k]) for k in self.key) for r in self.rows}
        near = [shown[n] for n in near_names(", ".join(_match(k) for k in key), list(shown))]
        return f"; near: {', '.join(repr(n) for n in near)}" if near else ""


def _match(value: object) -> str:
    """Return the form in which key values are compared: 84, 84.0 and " 84 " are one key."""
    text = " ".join(str(value).split()).casefold()
    try:
        return repr(float(text))
    except ValueError:
        return text


def near_names(name: str, names: list[str], most: int = 5) -> list[str]:
    """Return up to `most` of `names` that resemble `name`, those that contain it first.

    Parameters
    ----------
    name
        What was asked for, in the same form (case) as `names`.
    names
        What there is.
    most
        Length of the list at most.
    """
    import difflib

    within = [n for n in names if len(name) > 2 and name in n]
    alike = difflib.get_close_matches(name, names, n=most, cutoff=0.5)
    return list(dict.fromkeys([*within, *alike]))[:most]


@cache
def data_folder() -> Path:
    """Return the folder of the reference tables: in an installed package, or beside ``src`` in a checkout."""
    inside = Path(__file__).parent / "data"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "data"


@cache
def _index() -> dict[str, dict[str, Any]]:
    with open(data_folder() / "index.toml", "rb") as file:
        return tomllib.load(file)


def ordinance_names() -> list[str]:
    """Return the names of the ordinances that ship with the package.

    Returns
    -------
    list of str
        Names for the ``ordinance`` of a site and for `load_ordinance`, sorted.

    Examples
    --------
    >>> "hales_corners_445" in ordinance_names()
    True
    """
    return list(_ordinance_names())


@cache
def _ordinance_names() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in (data_folder() / "ordinances").glob("*.toml")))


def table_names() -> list[str]:
    """Return the names of the reference tables, in the order of the index.

    Returns
    -------
    list of str
        Names for `table`.

    Examples
    --------
    >>> "ei_distribution" in table_names()
    True
    """
    return list(_index())


@cache
def table(name: str) -> Table:
    """Return a reference table.

    Parameters
    ----------
    name
        One of `table_names`.

    Raises
    ------
    InputError
        If there is no such table, or its file breaks its description.

    Examples
    --------
    Stewart et al. 1975, silt loam at 2 % organic matter:

    >>> table("k_by_texture").row("silt loam")["k_om_2"]
    0.42
    """
    spec = _index().get(name)
    if spec is None:
        near = near_names(name.casefold(), table_names())
        hint = f"; near: {', '.join(near)}" if near else ""
        raise input_error("unknown-table", f"unknown table {name!r}{hint}; `sedcalc tables` lists all")
    return read_table_file(data_folder() / spec["file"], spec, name)


def read_table_file(path: Path, spec: Mapping[str, Any], name: str = "") -> Table:
    """Read a table's file and check it against its description.

    Parameters
    ----------
    path
        CSV file, UTF-8, with a heading.
    spec
        The table's entry in ``index.toml``: ``title``, ``item``, ``key``, ``columns`` (each the parameters of
        `Column`), ``notes``, and ``source`` and ``status`` unless they are columns.
    name
        Name the table is to have; the file's stem by default.

    Raises
    ------
    InputError
        If the heading differs from the columns, a row has a wrong number of cells, a cell is blank, of the
        wrong type or out of its range, a key stands twice, or a source or status is missing or unknown. All
        faults are named at once, by file, line and column.
    """
    columns = tuple(Column(**c) for c in spec["columns"])
    names = [c.name for c in columns]
    data = path.read_bytes()
    try:
        lines = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    except UnicodeDecodeError as error:
        raise input_error("table-encoding", f"not UTF-8: {error}", path.name) from None
    heading = next(lines, [])
    if heading != names:
        raise input_error("table-heading", f"the heading is {heading}, not {names}", f"{path.name} line 1")

    faults: list[Finding] = []
    rows: list[dict[str, Any]] = []
    first_line: dict[tuple[str, ...], int] = {}

    def fault(line: int, column: str, message: str) -> None:
        faults.append(Finding("table-fault", "error", message, f"{path.name} line {line}, column {column}"))

    for cells in lines:
        line = lines.line_num
        if len(cells) != len(columns):
            fault(line, names[-1], f"{count_of(len(cells), 'cell')} where the heading has {len(columns)}")
            continue
        row: dict[str, Any] = {}
        for column, cell in zip(columns, cells, strict=True):
            try:
                row[column.name] = _value(column, cell)
            except ValueError as error:
                fault(line, column.name, str(error))
        for needed in ("source", "status"):
            if needed not in names:
                row[needed] = spec.get(needed)
            if needed not in names and not row[needed]:
                fault(line, needed, f"no {needed}: a column or an entry of the index must give it")
        if row.get("status") and row["status"] not in STATUSES:
            fault(line, "status", f"status {row['status']!r} is none of {', '.join(STATUSES)}")
        if all(k in row for k in spec["key"]):
            key = tuple(_match(row[k]) for k in spec["key"])
            if key in first_line:
                fault(line, ", ".join(spec["key"]), f"{', '.join(key)} stands in line {first_line[key]} already")
            first_line.setdefault(key, line)
        rows.append(row)
    if not rows:
        fault(2, names[0], "no rows")
    if faults:
        raise InputError(faults)
    return Table(
        name=name or path.stem,
        title=spec["title"],
        item=spec["item"],
        columns=columns,
        key=tuple(spec["key"]),
        rows=tuple(rows),
        sha256=hashlib.sha256(data).hexdigest(),
        source=None if "source" in names else spec["source"],
        status=None if "status" in names else spec["status"],
        notes=spec.get("notes", ""),
    )


def _value(column: Column, cell: str) -> str | float | int | None:
    """Return a cell as its column's type; raise ValueError with the reason if it is not one."""
    if not cell.strip():
        if not column.blank:
            raise ValueError("blank, and a value is required")
        return None
    if column.type == "text":
        if column.choices and cell not in column.choices:
            raise ValueError(f"{cell!r} is none of {', '.join(column.choices)}")
        return cell
    try:
        value = int(cell) if column.type == "integer" else float(cell)
    except ValueError:
        raise ValueError(f"{cell!r} is not {'an integer' if column.type == 'integer' else 'a number'}") from None
    if not column.min <= value <= column.max:  # also refuses nan; an unbounded column cannot, hence the next line
        raise ValueError(f"{cell} is outside {column.min:g} to {column.max:g} {column.unit}".rstrip())
    if not math.isfinite(value):
        raise ValueError(f"{cell} is not finite")
    return value
