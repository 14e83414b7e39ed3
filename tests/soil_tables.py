"""A small soil survey: two soils and urban land, water, and a soil on rock; its tables as files with headings."""

import csv
from pathlib import Path

MAPUNIT = [
    ("mukey", "musym", "muname"),
    ("100", "OuB", "Ozaukee-Urban land complex, 2 to 6 percent slopes"),
    ("200", "W", "Water"),
    ("300", "MzC", "Shallow over rock"),
]
COMPONENT = [
    ("cokey", "mukey", "compname", "comppct_r", "hydgrp"),
    ("1", "100", "Ozaukee", "60", "C"),
    ("2", "100", "Ashkum", "30", "C/D"),
    ("3", "100", "Urban land", "10", ""),
    ("4", "200", "Water", "100", ""),
    ("5", "300", "Ritchey", "95", "D"),
]
CHORIZON = [
    ("cokey", "hzdept_r", "hzdepb_r", "kffact", "kwfact", "sandtotal_r", "silttotal_r", "claytotal_r"),
    ("1", "0", "20", ".32", ".28", "15", "60", "25"),  # silt loam
    ("1", "20", "100", ".43", ".37", "15", "50", "35"),  # silty clay loam
    ("2", "0", "50", ".28", ".28", "10", "55", "35"),  # silty clay loam
    ("2", "50", "150", ".37", ".32", "10", "45", "45"),  # silty clay
    ("5", "0", "15", ".37", ".32", "30", "50", "20"),
    ("5", "15", "40", "", "", "", "", ""),  # bedrock
]
TABLES = {"mapunit": MAPUNIT, "component": COMPONENT, "chorizon": CHORIZON}


def write_headed(folder: Path, separator: str = ",", **changed: list[tuple[str, ...]]) -> Path:
    """Write the tables, some of them changed, into a folder, which is returned."""
    for name, rows in (TABLES | changed).items():
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream, delimiter=separator).writerows(rows)
    return folder
