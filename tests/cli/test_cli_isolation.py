"""Gridded sites are computed by a worker: off the network, under a clock and a limit on memory. Others are not."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sedcalc as sc
from fuzz.formats import write_dem_site, write_geopackage, write_grid_site
from sedcalc.cli import isolation


@pytest.fixture
def grid_site(tmp_path: Path) -> Path:
    write_grid_site(tmp_path)
    return tmp_path / "site.json"


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A local web server, and the paths that were asked of it."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=service.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{service.server_port}", asked
    service.shutdown()
    service.server_close()
    thread.join()


def test_a_gridded_site_gives_the_same_apart(process: Any, sedcalc: Any, grid_site: Path) -> None:
    apart, here = process("run", grid_site, "--json"), sedcalc("run", grid_site, "--json")
    assert (apart.code, apart.out) == (here.code, here.out)
    assert here.object["status"] in ("meets", "exceeds")


def test_a_worker_that_takes_too_long_is_given_up(process: Any, grid_site: Path) -> None:
    answer = process("verify", grid_site, "--json", SEDCALC_MAX_SECONDS="1", PYTHONPATH=slow_start(grid_site.parent))
    assert answer.code == 2
    assert [f["code"] for f in answer.object["findings"]] == ["timeout"]
    assert "SEDCALC_MAX_SECONDS" in answer.object["findings"][0]["message"]


def test_a_tabular_site_that_takes_too_long_is_given_up(process: Any, tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text(json.dumps(many_units(3_000), default=str))  # half a minute's work
    record = tmp_path / "record.json"
    answer = process("verify", path, "--json", "--record", record, SEDCALC_MAX_SECONDS="1")
    assert answer.code == 2
    assert [f["code"] for f in answer.object["findings"]] == ["timeout"]
    assert [p.name for p in tmp_path.iterdir()] == ["site.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are of this platform")
@pytest.mark.parametrize(("command", "most_mb"), [("verify", 260), ("run", 260), ("verify", 210), ("verify", 50)])
def test_a_tabular_site_that_takes_too_much_memory_is_given_up(
    process: Any, tmp_path: Path, command: str, most_mb: int
) -> None:
    """However little is allowed, there is enough to say so."""
    path = tmp_path / "site.json"
    path.write_text(json.dumps(many_units(3_000), default=str))
    answer = process(command, path, "--json", SEDCALC_MAX_MEMORY_MB=str(most_mb))
    assert answer.code == 2
    (finding,) = answer.object["findings"]
    assert (finding["code"], finding["where"]) == ("out-of-memory", str(path))
    assert finding["message"] == (
        f"it takes more memory than the {most_mb} MB allowed; SEDCALC_MAX_MEMORY_MB allows more"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["site.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are of this platform")
def test_libraries_that_find_no_memory_do_not_end_it_as_if_the_standard_were_exceeded(
    process: Any, tmp_path: Path
) -> None:
    """OpenBLAS ends a process with exit code 1; the example meets the standard (0), or memory runs out (2)."""
    path = tmp_path / "site.json"
    path.write_text(json.dumps(many_units(0), default=str))
    for most_mb in (200, 220, 240, 2_000):
        answer = process("run", path, "--json", "--out", tmp_path / "out", SEDCALC_MAX_MEMORY_MB=str(most_mb))
        assert answer.code == 0 or answer.object["findings"][0]["code"] == "out-of-memory"
        assert (answer.code == 0) == any(p.is_file() for p in tmp_path.rglob("out/*"))
    assert answer.code == 0


class PanicException(BaseException):
    """Named as that of pydantic's compiled part, which cannot be imported."""


@pytest.mark.parametrize(
    ("limit", "error", "said"),
    [
        (300, MemoryError(), True),
        (300, OSError(12, "Cannot allocate memory"), True),
        (300, ImportError("x.so: failed to map segment from shared object"), True),
        (300, ImportError("no module named x"), False),
        (300, OSError(28, "No space left on device"), False),
        (None, MemoryError(), False),
        (300, PanicException("PyObject pointer is null"), True),
        (300, KeyboardInterrupt(), False),
    ],
    ids=repr,
)
def test_what_is_said_to_be_the_limit_on_memory(
    monkeypatch: pytest.MonkeyPatch, limit: int | None, error: BaseException, said: bool
) -> None:
    """Without a limit of ours, memory that runs out is the machine's fault."""
    monkeypatch.setenv("SEDCALC_MAX_MEMORY_MB", "300")
    monkeypatch.setattr(isolation, "memory_limit", lambda: None if limit is None else limit * 1_000_000)
    call = isolation.Invocation(("verify", "site.toml"), owns_process=True, computed=Path("site.toml"))
    outer = OSError("a library cannot be loaded")
    outer.__cause__ = error
    for raised in (error, outer) if isinstance(error, Exception) else (error,):
        assert (isolation.memory_up(call, raised) is not None) == said


def many_units(number: int) -> dict[str, Any]:
    """The example with so many more ground units."""
    site = tomllib.loads(sc.example("hales_corners_submission.toml").read_text("utf-8"))
    unit = site["ground_units"][0]
    copies = [f"copy {i}" for i in range(number)]
    site["ground_units"] += [{**unit, "id": name} for name in copies]
    for phase in site["phases"]:
        if unit["id"] in phase["units"]:
            phase["units"] += copies
    return site


def slow_start(folder: Path) -> str:
    """A folder whose rasterio takes a minute to import."""
    fake = folder / "fake"
    fake.mkdir()
    (fake / "rasterio.py").write_text("import time\ntime.sleep(60)\n", "utf-8")
    return str(fake)


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are of this platform")
def test_a_worker_that_takes_too_much_memory_ends(process: Any, grid_site: Path) -> None:
    answer = process("run", grid_site, "--json", SEDCALC_MAX_MEMORY_MB="300")
    assert answer.code == 2
    assert "Traceback" not in answer.err
    (finding,) = answer.object["findings"]
    assert finding["code"] in ("worker-died", "out-of-memory")
    assert finding["where"] == str(grid_site)
    assert "SEDCALC_MAX_MEMORY_MB" in finding["message"]


def test_a_worker_that_dies_is_wrong_input(process: Any, grid_site: Path) -> None:
    fake = grid_site.parent / "fake"
    fake.mkdir()
    (fake / "rasterio.py").write_text("import os\nos.abort()\n", "utf-8")
    answer = process("run", grid_site, "--json", PYTHONPATH=str(fake))
    assert answer.code == 2
    assert [f["code"] for f in answer.object["findings"]] == ["worker-died"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to catch")
def test_a_worker_that_is_ended_with_its_command_leaves_nothing_behind(tmp_path: Path) -> None:
    """SIGTERM comes while the results are written, which takes seconds."""
    site = shutil.copytree(Path(__file__).resolve().parents[2] / "examples" / "graded_pad", tmp_path / "site")
    program = "import sys; from sedcalc.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "run", site / "site.toml", "--out", tmp_path / "results"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as started:
        assert started.stderr is not None
        for line in started.stderr:
            if "writing the results" in line:
                break
        started.terminate()
        _, err = started.communicate(timeout=60)
    assert started.returncode == 143, err
    assert err.endswith("sedcalc: terminated\n")
    assert not list(tmp_path.rglob(".sedcalc-*"))


def test_modules_in_the_folder_of_the_submission_are_not_imported(grid_site: Path) -> None:
    for name in ("rasterio", "numpy", "sedcalc", "json"):
        (grid_site.parent / f"{name}.py").write_text("raise SystemExit('imported from the submission')\n", "utf-8")
    script = shutil.which("sedcalc", path=str(Path(sys.executable).parent))
    assert script is not None
    done = subprocess.run(
        [script, "run", "site.json", "--json"], cwd=grid_site.parent, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["status"] in ("meets", "exceeds")


def test_a_tabular_site_is_computed_here_without_raster_libraries() -> None:
    program = """
import sys, subprocess
subprocess.Popen = None
import sedcalc
from sedcalc.cli import main
path = str(sedcalc.example("hales_corners_submission.toml"))
sys.argv = ["sedcalc", "verify", path, "--json"]
code = main()
print({n for n in ("rasterio", "pyogrio", "numba", "multiprocessing.popen_spawn_posix") if n in sys.modules}, code,
      file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=120)
    assert done.stderr.strip() == "set() 0"


def test_the_environment_is_guarded_before_anything_is_read(grid_site: Path) -> None:
    program = """
import os, sys
from sedcalc.cli import main
sys.argv = ["sedcalc", "--version"]
main()
print(os.environ["PROJ_NETWORK"], os.environ["GDAL_SKIP"].split(",")[0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", timeout=120)
    assert done.stdout.splitlines()[1:] == ["OFF VRT"]


def test_a_program_that_calls_main_starts_no_worker(
    sedcalc: Any, grid_site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation.subprocess, "Popen", lambda *_: pytest.fail("a worker was started"))
    assert sedcalc("run", grid_site).code in (0, 1)


Trap = Callable[[Path, str], None]


def vrt(folder: Path, address: str) -> None:
    source = f"<SimpleSource><SourceFilename>/vsicurl/{address}/a.tif</SourceFilename></SimpleSource>"
    band = f'<VRTRasterBand dataType="Float64" band="1">{source}</VRTRasterBand>'
    (folder / "k.tif").write_text(f'<VRTDataset rasterXSize="9" rasterYSize="12">{band}</VRTDataset>', "utf-8")


def wms(folder: Path, address: str) -> None:
    text = f'<GDAL_WMS><Service name="TMS"><ServerUrl>{address}/${{z}}</ServerUrl></Service></GDAL_WMS>'
    (folder / "k.tif").write_text(text, "utf-8")


def ogr_vrt(folder: Path, address: str) -> None:
    layer = f'<OGRVRTLayer name="a"><SrcDataSource>/vsicurl/{address}/a.geojson</SrcDataSource></OGRVRTLayer>'
    (folder / "units.geojson").write_text(f"<OGRVRTDataSource>{layer}</OGRVRTDataSource>", "utf-8")


def crs_link(folder: Path, address: str) -> None:
    data = json.loads((folder / "units.geojson").read_text("utf-8"))
    data["crs"] = {"type": "link", "properties": {"href": f"{address}/crs", "type": "proj4"}}
    (folder / "units.geojson").write_text(json.dumps(data), "utf-8")


def sidecar(folder: Path, address: str) -> None:
    text = f"<PAMDataset><Metadata><MDI key='x'>/vsicurl/{address}/x</MDI></Metadata></PAMDataset>"
    (folder / "k.tif.aux.xml").write_text(text, "utf-8")
    (folder / "k.tif.ovr").write_text(f"/vsicurl/{address}/a.ovr", "utf-8")


def address_for_a_file(folder: Path, address: str) -> None:
    data = json.loads((folder / "site.json").read_text("utf-8"))
    data["grid"]["K"] = f"/vsicurl/{address}/k.tif"
    data["grid"]["ground_units"]["file"] = f"{address}/units.geojson"
    data["grid"]["R"] = f"{address}/r.tif"
    (folder / "site.json").write_text(json.dumps(data), "utf-8")


def geopackage_of_links(folder: Path, address: str) -> None:
    import sqlite3

    write_geopackage(folder)
    connection = sqlite3.connect(folder / "units.gpkg")
    connection.execute("UPDATE gpkg_spatial_ref_sys SET definition = ?", (f"{address}/crs",))
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "trap", [vrt, wms, ogr_vrt, crs_link, sidecar, address_for_a_file, geopackage_of_links], ids=lambda t: t.__name__
)
def test_no_submission_reaches_the_network(
    process: Any, grid_site: Path, server: tuple[str, list[str]], trap: Trap
) -> None:
    address, asked = server
    trap(grid_site.parent, address)
    answer = process("verify", grid_site, "--json")
    assert answer.code in (0, 1, 2), answer.err
    assert asked == []


def test_a_pipe_in_the_place_of_a_file_does_not_hang(process: Any, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names here")
    write_dem_site(tmp_path)
    for name in ("dem.tif", "units.geojson", "nlcd.csv"):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
    answer = process("verify", tmp_path / "site.json", "--json")
    assert answer.code == 2
    assert {f["code"] for f in answer.object["findings"]} >= {"file-not-regular"}
    os.mkfifo(tmp_path / "pipe.toml")
    assert process("verify", tmp_path / "pipe.toml").code == 2
