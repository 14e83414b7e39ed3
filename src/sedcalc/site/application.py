"""What an applicant states about the permit application, beside the numbers: answers, dates, what the plan holds.

Every field is optional, and all of it can be left out. Names of provisions, exemptions and plan items are those of
the site's ordinance file; whether the ordinance has them is checked where it is read.
"""

from typing import Annotated, Literal

from pydantic import Field

from sedcalc.findings import Finding
from sedcalc.site.fields import Date, Id, NotNegative, Part, Positive, Share, Text

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_MOST_DAYS = 366 * 30


class Application(Part):
    """Answers to the ordinance's questions, dates of the procedure, and what the plan holds."""

    activities: Annotated[
        tuple[Id, ...] | None,
        Field(
            strict=False, max_length=100, description="Ids of the ordinance's provisions that the project falls under"
        ),
    ] = None
    exemptions: Annotated[
        tuple[Id, ...], Field(strict=False, max_length=100, description="Ids of the exemptions that are claimed")
    ] = ()
    earth_volume: Annotated[NotNegative | None, Field(description="Excavation and fill together, yd3 | m3")] = None
    pipe_length: Annotated[NotNegative | None, Field(description="Underground pipe laid or repaired, ft | m")] = None
    addition_area: Annotated[NotNegative | None, Field(description="Addition to a building, ft2 | m2")] = None

    received: Annotated[Date | None, Field(description="Day the complete application was received")] = None
    information_received: Annotated[
        tuple[Date, ...], Field(strict=False, max_length=100, description="Days additional information was received")
    ] = ()
    decided: Annotated[Date | None, Field(description="Day the applicant was told the decision")] = None
    open_weekdays: Annotated[
        tuple[Weekday, ...] | None,
        Field(strict=False, min_length=1, max_length=7, description="Days the office is open; Monday to Friday"),
    ] = None
    closures: Annotated[
        tuple[Date, ...], Field(strict=False, max_length=1000, description="Other days the office is closed")
    ] = ()

    permit_issued: Date | None = None
    authorization_days: Annotated[
        int | None, Field(gt=0, le=_MOST_DAYS, description="Length of the building permit or other authorization, days")
    ] = None
    extension_days: Annotated[int, Field(ge=0, le=_MOST_DAYS, description="Extensions granted, together, days")] = 0
    completion: Annotated[
        Date | None, Field(description="Date in the permit by which permanent erosion control is complete")
    ] = None
    occupancy: Annotated[Date | None, Field(description="Day the certificate of occupancy is issued")] = None

    plan_items: Annotated[
        tuple[Text, ...],
        Field(
            strict=False,
            max_length=1000,
            description="Clauses of what the plan holds, as printed; 'CLAUSE #2' for the second item of one clause",
        ),
    ] = ()
    receiving_water: Annotated[Text | None, Field(description="Immediate named receiving water")] = None
    groundwater_depth: Annotated[NotNegative | None, Field(description="Depth to groundwater, ft | m")] = None
    soils_data: Annotated[Text | None, Field(description="Data on surface soil and subsoil: which, and where")] = None
    runoff_coefficient_before: Share | None = None
    runoff_coefficient_after: Share | None = None
    map_scale: Annotated[Positive | None, Field(description="n of the site map's scale 1 : n; 1200 is 100 ft/in")] = (
        None
    )
    contour_interval: Annotated[Positive | None, Field(description="Of the site map, ft | m")] = None


def application_mistakes(application: Application) -> list[Finding]:
    """Return what is wrong between the fields of an application.

    Parameters
    ----------
    application
        The application, faulty fields as None.
    """
    found: list[Finding] = []

    def mistake(code: str, message: str, field: str) -> None:
        found.append(Finding(code, "error", message, f"application.{field}"))

    received, decided = application.received, application.decided
    for i, day in enumerate(application.information_received or ()):
        if day is not None and received is not None and day < received:
            message = f"additional information on {day} lies before the application of {received}; correct one"
            mistake("dates-reversed", message, f"information_received[{i}]")
    if decided is not None and received is None:
        mistake("missing-field", "a decision date needs received; add the day of the application", "received")
    elif decided is not None and received is not None and decided < received:
        mistake(
            "dates-reversed",
            f"the decision of {decided} lies before the application of {received}; correct one",
            "decided",
        )
    if application.extension_days and application.permit_issued is None:
        mistake("missing-field", "an extension needs permit_issued; add the day of the permit", "permit_issued")
    for name in ("activities", "exemptions", "plan_items"):
        values = [v for v in getattr(application, name) or () if v is not None]
        for value in sorted({v for v in values if values.count(v) > 1}):
            mistake("duplicate-id", f"{value!r} stands there twice; name it once", name)
    before, after = application.runoff_coefficient_before, application.runoff_coefficient_after
    if (before is None) != (after is None):
        missing = "before" if before is None else "after"
        message = "the runoff coefficient is given before and after construction, or not at all; add the other"
        mistake("missing-field", message, f"runoff_coefficient_{missing}")
    return found
