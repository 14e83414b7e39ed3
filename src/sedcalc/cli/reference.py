"""``sedcalc tables``, ``schema`` and ``new``: what there is to refer to, and a file to begin with."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sedcalc.cli.isolation import open_files_apart
from sedcalc.cli.output import json_option, print_json, show, write
from sedcalc.cli.places import READ_FILE
from sedcalc.cli.usage import examples
from sedcalc.findings import input_error

if TYPE_CHECKING:
    from sedcalc.compliance.ordinance import Ordinance
    from sedcalc.tables import Table

_SCHEMAS = ("site", "run", "verify")


@click.command(
    epilog=examples(
        "sedcalc tables",
        "sedcalc tables covers",
        "sedcalc tables hales_corners_445",
    )
)
@click.argument("name", required=False)
@json_option
def tables(name: str | None, as_json: bool) -> int:
    """List the reference tables, or print one.

    NAME is a table, which is printed with its units, sources and status; "ordinances"; or an ordinance.
    """
    from sedcalc.compliance.ordinance import load_ordinance
    from sedcalc.tables import ordinance_names, table, table_names

    if name is None:
        found = [table(n) for n in table_names()]
        rows = [{"name": t.name, "title": t.title, "rows": len(t.rows), "sha256": t.sha256} for t in found]
        _list("tables", rows, as_json, "`sedcalc tables NAME` prints one; `sedcalc tables ordinances` lists those.")
    elif name == "ordinances":
        codes = [load_ordinance(n) for n in ordinance_names()]
        rows = [{"name": o.id, "title": o.title, "place": o.place, "sha256": o.sha256} for o in codes]
        _list("ordinances", rows, as_json, "`sedcalc tables NAME` prints one.")
    elif name in ordinance_names():
        _print_ordinance(load_ordinance(name), as_json)
    else:
        _print_table(_table(name), as_json)
    return 0


@click.command(
    epilog=examples(
        "sedcalc schema",
        "sedcalc schema run",
    )
)
@click.argument("name", default="site")
@json_option
def schema(name: str, as_json: bool) -> int:
    """Print a JSON Schema.

    NAME is what it describes: site, a site file (the default); run or verify, the JSON of
    these commands.
    """
    if name == "site":
        from sedcalc.site.submission import Site

        found = Site.model_json_schema()
        print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **found})
    elif name == "run":
        from sedcalc.report.run_format import run_schema

        print_json(run_schema())
    elif name == "verify":
        from sedcalc.report.verify_format import verify_schema

        print_json(verify_schema())
    else:
        raise input_error("unknown-schema", f"no schema {name!r}; name one of {', '.join(_SCHEMAS)}", "NAME")
    return 0


@click.command(
    epilog=examples(
        "sedcalc new my_site.toml",
        "sedcalc new my_site.xlsx",
        "sedcalc new filled.xlsx --from my_site.toml",
    )
)
@click.argument("path", type=click.Path(path_type=Path), default=Path("site.toml"))
@click.option("--from", "given", type=READ_FILE, metavar="SITE", help="Fill the workbook with this site.")
@json_option
def new(path: Path, given: Path | None, as_json: bool) -> int:
    """Write a site file to begin with: it computes as it stands.

    PATH is where to, site.toml by default: a .toml file, or an .xlsx workbook with drop-downs
    (needs the extra xlsx); a file that exists is never touched.
    """
    kind = path.suffix.lower()
    if kind not in (".toml", ".xlsx"):
        raise input_error("unknown-format", f"{kind or 'no'} ending; name a .toml or .xlsx file", str(path))
    from sedcalc.site.starter import starter_text, write_new

    if given is not None:
        if kind != ".xlsx":
            raise input_error("not-a-workbook", "a site is written as a workbook; name an .xlsx file", str(path))
        from sedcalc.io.site_files import read_site
        from sedcalc.report.workbook import site_workbook

        content = site_workbook(read_site(given, before_files=open_files_apart))
    elif kind == ".xlsx":
        from sedcalc.report.workbook import starter_workbook

        content = starter_workbook()
    else:
        content = starter_text().encode()
    write_new(path, content)
    if as_json:
        print_json({"format": "sedcalc.new/1", "path": str(path)})
    else:
        write(f"{path} is written; edit it, then: sedcalc run {path}\n")
    return 0


COMMANDS = (tables, schema, new)


def _table(name: str) -> "Table":
    from sedcalc.tables import near_names, ordinance_names, table, table_names

    names = table_names()
    if name in names:
        return table(name)
    names += ["ordinances", *ordinance_names()]
    near = near_names(name.casefold(), names)
    hint = f"near: {', '.join(near)}; " if near else ""
    raise input_error("unknown-table", f"unknown table {name!r:.60}; {hint}name one of {', '.join(names)}", "NAME")


def _list(what: str, rows: list[dict[str, Any]], as_json: bool, hint: str) -> None:
    if as_json:
        print_json({"format": "sedcalc.tables/1", "name": what, "rows": rows})
        return
    from sedcalc.report.reference_text import listing

    shown = [{k: v for k, v in row.items() if k != "sha256"} for row in rows]
    show(listing(shown), hint)


def _print_table(found: "Table", as_json: bool) -> None:
    if as_json:
        columns = [{"name": c.name, "type": c.type, "unit": c.unit, "meaning": c.meaning} for c in found.columns]
        head = {"title": found.title, "key": list(found.key), "notes": found.notes, "sha256": found.sha256}
        rows = {"columns": columns, "rows": list(found.rows)}
        print_json({"format": "sedcalc.tables/1", "name": found.name, **head, **rows})
        return
    from sedcalc.report.reference_text import table_text

    show(table_text(found))


def _print_ordinance(found: "Ordinance", as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        numbers = [asdict(n) for n in found.numbers.values()]
        head = {"title": found.title, "place": found.place, "text_source": found.text_source, "sha256": found.sha256}
        standard = None if found.standard is None else asdict(found.standard)
        no_standard = None if found.no_standard is None else asdict(found.no_standard)
        both = {"standard": standard, "no_standard": no_standard, "rows": numbers}
        print_json({"format": "sedcalc.tables/1", "name": found.id, **head, **both})
        return
    from sedcalc.report.reference_text import ordinance_text

    show(ordinance_text(found))
