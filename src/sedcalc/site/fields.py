"""What the models of a site file are made of: the strict base, and the kinds of field."""

import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from sedcalc.site.dates import iso_date

SMALLEST, LARGEST = 1e-9, 1e9  # of any quantity of a site, so that no product or quotient leaves the range of numbers
FIRST_YEAR, LAST_YEAR = 1900, 2200  # days that are added to a date must not lead out of the calendar


def _iso_date(value: Any) -> Any:
    """Take ISO text as a date; leave everything else to the strict check."""
    if isinstance(value, str):
        value = iso_date(value)
    if isinstance(value, datetime.datetime) or not isinstance(value, datetime.date):
        raise ValueError(f"{value!r:.40} is not a date; write YYYY-MM-DD")
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        message = f"{value} is not between {FIRST_YEAR} and {LAST_YEAR}; correct the year"
        raise PydanticCustomError("date_out_of_range", "{message}", {"message": message})
    return value


def not_tiny(value: float) -> float:
    """Refuse what is above 0 and too small to divide by."""
    if 0.0 < value < SMALLEST:
        raise ValueError(f"{value:g} is too small to compute with; write at least {SMALLEST:g}")
    return value


class Part(BaseModel):
    """Base of all parts: strict types, no unknown fields, no NaN or infinity, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class FileName:
    """Marks a text that names a file in the site's folder (`sedcalc.site.paths`)."""


Date = Annotated[
    datetime.date,
    BeforeValidator(_iso_date, json_schema_input_type=datetime.date),
]
Text = Annotated[str, Field(min_length=1, max_length=500)]
Id = Annotated[str, Field(min_length=1, max_length=80)]
File = Annotated[str, Field(min_length=1, max_length=500), FileName()]
Positive = Annotated[float, Field(gt=0, le=LARGEST), AfterValidator(not_tiny)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST), AfterValidator(not_tiny)]
Percent = Annotated[float, Field(ge=0, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Ids = Annotated[tuple[Id, ...], Field(strict=False, min_length=1)]
