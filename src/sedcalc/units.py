"""US customary and SI units: exact conversion factors, derived from the definitions of foot, pound and acre.

Every factor is "how many SI units make one US unit". Printed values in handbooks (17.02, 0.1317, 2.24) are
roundings of these; using the roundings breaks ``A = R K LS C P`` between unit systems in the sixth digit.
"""

import math
from typing import Final

FOOT_M: Final = 0.3048
"""International foot, m (exact, 1959)."""

US_SURVEY_FOOT_M: Final = 1200.0 / 3937.0
"""US survey foot, m (exact, 1893; retired at the end of 2022 but in most state-plane data)."""

INCH_MM: Final = 25.4
"""Inch, mm (exact)."""

ACRE_M2: Final = 4046.8564224
"""International acre, m2 (43,560 international square feet, exact)."""

ACRE_HA: Final = ACRE_M2 / 10_000.0
"""International acre, ha (exact)."""

ACRE_FT2: Final = 43_560.0
"""Acre, international ft2 (exact)."""

POUND_KG: Final = 0.45359237
"""Avoirdupois pound, kg (exact)."""

STANDARD_GRAVITY: Final = 9.80665
"""Standard gravity, m/s2 (exact)."""

TON_T: Final = 2000.0 * POUND_KG / 1000.0
"""Short ton (2,000 lb), metric tons (exact)."""

TON_PER_ACRE_T_PER_HA: Final = TON_T / ACRE_HA
"""1 short ton/acre in t/ha: 2.241702..."""

R_US_SI: Final = (
    100.0 * FOOT_M * 2000.0 * POUND_KG * STANDARD_GRAVITY * 1e-6 * INCH_MM / ACRE_HA
)  # 100 ft tonf in/(ac h yr) -> MJ mm/(ha h yr)
"""Erosivity: 1 hundred ft tonf in/(ac h yr) in MJ mm/(ha h yr): 17.0195..."""

K_US_SI: Final = TON_PER_ACRE_T_PER_HA / R_US_SI
"""Erodibility: 1 ton ac h/(hundred ac ft tonf in) in t ha h/(ha MJ mm): 0.131714..."""

SQUARE_FOOT_M2: Final = FOOT_M**2
"""International square foot, m2 (exact)."""

CUBIC_YARD_M3: Final = (3.0 * FOOT_M) ** 3
"""Cubic yard, m3 (exact)."""


def area_text(value: float) -> str:
    """Return an area with two decimals and commas; a small one with more, so that it never reads 0.00.

    Parameters
    ----------
    value
        Acres or hectares.

    Examples
    --------
    >>> area_text(1234.5), area_text(0.25), area_text(0.0012)
    ('1,234.50', '0.25', '0.0012')
    """
    return f"{value:,.{area_digits(value)}f}"


def percent_text(share: float, digits: int = 0) -> str:
    """Return a share in per cent; none that is not exactly so reads as nothing or as the whole.

    Parameters
    ----------
    share
        From 0 to 1, or beyond.
    digits
        Decimals.

    Examples
    --------
    >>> percent_text(0.384), percent_text(0.0001), percent_text(0.99996, 1), percent_text(1.0)
    ('38 %', '<1 %', '>99.9 %', '100 %')
    """
    step = 10.0**-digits
    shown = f"{100.0 * share:.{digits}f}"
    if share > 0.0 and float(shown) == 0.0:
        return f"<{step:g} %"
    if share < 1.0 and not math.isclose(share, 1.0) and float(shown) == 100.0:
        return f">{100.0 - step:g} %"
    return f"{shown} %"


def area_digits(value: float, least: int = 2) -> int:
    """Return how many decimals an area, or a load, is printed with: at least two digits of it are seen.

    Parameters
    ----------
    value
        Acres or hectares; tons.
    least
        Decimals of amounts that are not small.
    """
    if value == 0.0 or abs(value) >= 0.0095:
        return least
    return max(least, 1 - math.floor(math.log10(abs(value))))
