"""The package as such: what it loads, what it says of itself, and what it is pinned to."""

import ast
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import sedcalc

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "hales_corners_subdivision.toml"
SITES = sorted((ROOT / "examples").rglob("*.toml"))
HEAVY = {
    *("pandas", "scipy", "rasterio", "geopandas", "shapely", "pyogrio", "pyproj"),
    *("matplotlib", "numba", "llvmlite", "xarray", "rioxarray"),
}

# The console script's own entry, then the top-level packages that it left loaded.
RUN = """
import sys
sys.argv = ["sedcalc", *sys.argv[1:]]
code = 0
try:
    if sys.argv[1:]:
        from sedcalc.cli import main
        code = main()
    else:
        import sedcalc
except SystemExit as end:
    code = end.code
import json
print(json.dumps([code or 0, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> tuple[int, set[str]]:
    """Exit code of a command, and the top-level packages in sys.modules at its end."""
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(modules)


def test_the_probe_sees_a_heavy_import() -> None:
    program = RUN.replace("import sys\n", "import sys\nimport pandas\n", 1)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert "pandas" in json.loads(done.stderr.splitlines()[-1])[1]


def test_import_is_light() -> None:
    code, modules = loaded_by()
    assert code == 0
    assert modules & (HEAVY | {"pydantic", "typer", "rich"}) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["r", "--county", "Milwaukee, WI", "--json"],
        ["r", "--zone", "84", "--annual-r", "45", "--start", "2026-03-10", "--end", "2026-05-10", "--json"],
        ["k", "--texture", "silt loam", "--om", "2", "--json"],
        ["k", "--silt-vfs", "65", "--sand", "5", "--om", "2.8", "--structure", "2", "--permeability", "4", "--json"],
        ["ls", "--slope", "33", "--length", "150", "--json"],
    ],
    ids=" ".join,
)
def test_factor_commands_load_neither_heavy_parts_nor_pydantic(arguments: list[str]) -> None:
    code, modules = loaded_by(*arguments)
    assert code == 0
    assert modules & (HEAVY | {"pydantic"}) == set()


def test_a_tabular_run_loads_no_heavy_part() -> None:
    code, modules = loaded_by("run", str(EXAMPLE), "--json")
    assert code == 0
    assert modules & HEAVY == set()


def test_these_tests_run_on_this_checkout() -> None:
    assert Path(sedcalc.__file__).resolve().is_relative_to(ROOT / "src"), "installed from elsewhere: make distclean"


def test_every_public_name_resolves() -> None:
    for name in sedcalc.__all__:
        assert getattr(sedcalc, name) is not None
    assert {"read_site", "sediment_load", "check_compliance", "soil_loss", "ls_grid"} <= set(sedcalc.__all__)
    assert set(sedcalc.__all__) <= set(dir(sedcalc))
    with pytest.raises(AttributeError, match="no attribute 'nonsuch'"):
        _ = sedcalc.nonsuch


def test_the_version_is_a_literal_and_the_same_everywhere() -> None:
    body = ast.parse((ROOT / "src" / "sedcalc" / "__init__.py").read_text("utf-8")).body
    literals = [
        node.value.value
        for node in body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and any(isinstance(target, ast.Name) and target.id == "__version__" for target in node.targets)
    ]
    assert literals == [sedcalc.__version__]
    assert importlib.metadata.version("sedcalc") == sedcalc.__version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [sedcalc.__version__]
    released = re.findall(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert released[0] == sedcalc.__version__


@pytest.mark.slow
@pytest.mark.parametrize("site", SITES, ids=[site.relative_to(ROOT).as_posix() for site in SITES])
def test_results_are_the_same_bytes_whatever_the_threads_and_the_hash_seed(site: Path, tmp_path: Path) -> None:
    seen = []
    for threads, seed in (("1", "1"), ("2", "2")):
        folder = tmp_path / threads
        folder.mkdir()
        command = [sys.executable, "-c", "import sys; from sedcalc.cli import main; sys.exit(main())"]
        done = subprocess.run(
            [*command, "run", site, "--json", "--out", "out"],
            cwd=folder,
            env=os.environ | {"NUMBA_NUM_THREADS": threads, "PYTHONHASHSEED": seed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        assert done.returncode in (0, 1), done.stderr.decode()
        files = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        seen.append((done.returncode, done.stdout, files))
    assert seen[0][1]
    assert seen[0][2]
    assert seen[0] == seen[1]


def test_the_package_is_marked_as_typed() -> None:
    assert Path(sedcalc.__file__).with_name("py.typed").is_file()


def pins(name: str) -> dict[str, Version]:
    lines = (ROOT / "requirements" / name).read_text("utf-8").splitlines()
    kept = [Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    for requirement in kept:
        assert [clause.operator for clause in requirement.specifier] == ["=="], f"{name}: {requirement}"
    return {requirement.name: Version(next(iter(requirement.specifier)).version) for requirement in kept}


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BASE = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}


@pytest.mark.parametrize("python", ["py311", "py312"])
def test_pins_hold_what_pyproject_asks_for(python: str) -> None:
    everything, base = pins(f"{python}.txt"), pins(f"{python}-base.txt")
    for requirement in [*BASE, *(r for extra in EXTRAS.values() for r in extra)]:
        assert requirement.specifier.contains(everything[requirement.name]), requirement
    assert {requirement.name for requirement in BASE} <= base.keys()
    assert base.items() <= everything.items()
    assert "xarray" not in base
    assert "pytest" not in base


def test_minimum_versions_are_the_bounds_of_pyproject() -> None:
    minimum = pins("minimum.txt")
    of_users = [r for name, extra in EXTRAS.items() if name not in ("dev", "docs") for r in extra]
    for requirement in BASE + of_users:
        (bound,) = (clause for clause in requirement.specifier if clause.operator == ">=")
        assert minimum[requirement.name] == Version(bound.version), requirement
