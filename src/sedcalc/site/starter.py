"""The commented site file that ``sedcalc new`` writes."""

from sedcalc.tables import data_folder


def starter_text() -> str:
    """Return the text of the starter: a small site that computes as it stands."""
    return (data_folder() / "starter.toml").read_text(encoding="utf-8")
