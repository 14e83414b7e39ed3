"""Ranges of K, LS, C and P that every equation with these factors shares."""

from sedcalc.factors._arrays import FloatArray, check_range
from sedcalc.factors.cover import C_UPPER_LIMIT
from sedcalc.factors.erodibility import K_UPPER_LIMIT
from sedcalc.factors.support import P_UPPER_LIMIT


def check_factors(k: FloatArray, ls: FloatArray, c: FloatArray, p: FloatArray) -> None:
    """Raise `InputError` unless K, LS, C and P are values that RUSLE has, in US units."""
    check_range("K", k, 0.0, K_UPPER_LIMIT, "", "give K in US units, ton ac h/(100 ac ft tonf in)")
    check_range("LS", ls, 0.0, float("inf"), "", "give a finite number that is not negative")
    check_range("C", c, 0.0, C_UPPER_LIMIT, "", "give C as a fraction of the loss from bare ground")
    check_range("P", p, 0.0, P_UPPER_LIMIT, "", "give P as a fraction of the loss without the practice")
