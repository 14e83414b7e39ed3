"""Pages that are made from the package when the documentation is built, so that nothing in them is typed twice.

The reference tables and ordinances come from ``data/``, the validation from ``tests/validation_cases.py``, limits and
API lists from the package, and the notebooks from ``notebooks/``.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any, Final

from api_pages import api
from ordinance_pages import ordinance_page, ordinances_index
from pages import escaped, grid, write
from sphinx.errors import ExtensionError
from table_pages import table_page, tables_index
from validation_pages import erodibility, validation

from sedcalc.compliance.ordinance import load_ordinance
from sedcalc.limits import LIMITS, variable
from sedcalc.tables import ordinance_names, table, table_names

DOCS: Final = Path(__file__).resolve().parents[1]
ROOT: Final = DOCS.parent
GENERATED: Final = DOCS / "generated"
PARTS: Final = GENERATED / "parts"  # included by other pages


def limits() -> str:
    """Return the limits on what is read from files."""
    lines = ((f"{x.default:,}", x.unit, escaped(x.what), f"`{variable(name)}`") for name, x in LIMITS.items())
    return grid(["at most", "", "of", "set by"], lines)


def check_named_tests() -> None:
    """Raise unless every test that a page names exists."""
    missing = []
    for page in sorted(DOCS.rglob("*.md")):
        for file, name in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", page.read_text("utf-8")):
            path = ROOT / file
            if not path.is_file() or (name and f"def {name}(" not in path.read_text("utf-8")):
                missing.append(f"{page.relative_to(DOCS)}: {file} {name}")
    if missing:
        raise ExtensionError("pages name tests that do not exist: " + "; ".join(missing))


def notebooks() -> None:
    """Put the notebooks where Sphinx finds them."""
    there = DOCS / "notebooks"
    there.mkdir(exist_ok=True)
    ours = {path.name: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    for old in there.glob("*.ipynb"):
        if old.name not in ours:
            old.unlink()
    for name, path in ours.items():
        if not (there / name).exists() or (there / name).read_bytes() != path.read_bytes():
            shutil.copyfile(path, there / name)


def generate() -> None:
    """Write all generated pages."""
    data = Path(os.environ.get("SEDCALC_SHARED", ROOT.parent / "shared")) / "data"
    write(GENERATED / "tables.md", tables_index())
    for name in table_names():
        write(GENERATED / "tables" / f"{name}.md", table_page(table(name)))
    write(GENERATED / "ordinances.md", ordinances_index())
    for name in ordinance_names():
        write(GENERATED / "ordinances" / f"{name}.md", ordinance_page(load_ordinance(name)))
    write(PARTS / "validation.md", validation(data if data.is_dir() else None))
    write(PARTS / "erodibility.md", erodibility())
    write(PARTS / "limits.md", limits())
    write(GENERATED / "api.md", api())
    check_named_tests()
    notebooks()


def setup(app: Any) -> dict[str, bool]:
    """Generate before Sphinx looks for its sources."""
    app.connect("config-inited", lambda app, config: generate(), priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
