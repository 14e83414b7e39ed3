"""DEM to LS against the libraries that are installed, on the same surfaces in the same run; see README.md.

Each library works in a process of its own, one at a time. Times are the best of some rounds; memory is the elevations
and how far the peak of the process rises above what it holds with the library and the elevations loaded.
"""

import argparse
import importlib.util
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

CELL_M = 1.0
MAX_LENGTH_M = 304.8
ROUNDS = 3
ENOUGH_SECONDS = 15.0
STEPS = ["fill", "d8", "mfd", "dinf", "chain-d8", "chain-mfd", "chain-dinf"]


def synthetic(n: int, seed: int = 1, pits: bool = True) -> np.ndarray:
    """Rolling ground of n x n cells of 1 m, float32; without pits it falls to the south everywhere."""
    rng = np.random.default_rng(seed)
    waves = 2 * np.pi / np.geomspace(12, 900, 22)
    turn, phase = rng.uniform(0, np.pi, 22), rng.uniform(0, 2 * np.pi, 22)
    height = 0.9 / waves * (0.045 if pits else 0.004)
    z = np.empty((n, n), np.float32)
    x = np.arange(n)
    for start in range(0, n, 256):
        y = np.arange(start, min(start + 256, n))[:, None]
        rows = 0.08 * (n - y) + 0.0 * x
        for w, t, p, h in zip(waves, turn, phase, height, strict=True):
            rows = rows + h * np.sin(w * (np.cos(t) * x + np.sin(t) * y) + p)
        z[start : start + 256] = rows + (rng.normal(0, 0.01, rows.shape) if pits else 0.0)
    return z


def ls_numpy(z: np.ndarray, area_m2: np.ndarray) -> np.ndarray:
    """LS of the default form by NumPy in float64, for libraries that give contributing area alone."""
    from sedcalc.factors import topography as tp

    p = np.pad(z.astype(np.float64), 1, mode="edge")
    nw, north, ne = p[:-2, :-2], p[:-2, 1:-1], p[:-2, 2:]
    west, east = p[1:-1, :-2], p[1:-1, 2:]
    sw, south, se = p[2:, :-2], p[2:, 1:-1], p[2:, 2:]
    dx = np.abs((ne - nw) + (se - sw) + 2 * (east - west)) / 8
    dy = np.abs((sw - nw) + (se - ne) + 2 * (south - north)) / 8
    norm = np.hypot(dx, dy)
    slope = norm / CELL_M
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_step = norm / (np.maximum(dx, dy) + (2**0.5 - 1) * np.minimum(dx, dy))
    step = np.where(norm > 0, mean_step, 1.0) * CELL_M
    width = CELL_M**2 / step
    length = np.clip(area_m2 - CELL_M**2, 0, MAX_LENGTH_M * width - CELL_M**2) / width
    m = tp.kernel_length_exponent(slope, tp.RATIOS["high"])
    ls = tp.kernel_steepness(slope) * tp.kernel_mean_l(length, step, m, tp.LAMBDA0_M)
    ls[slope > tp.MAX_SLOPE_PCT / 100] = np.nan
    return ls


Steps = dict[str, Callable[[np.ndarray], np.ndarray]]
"""By name: ``fill`` gives elevations; ``d8``, ``mfd`` and ``dinf`` contributing cells of the surface as it is."""


def sedcalc_steps() -> Steps:
    from sedcalc.terrain.conditioning import drain
    from sedcalc.terrain.routing import route

    def area(routing: str) -> Callable[[np.ndarray], np.ndarray]:
        return lambda z: route(drain(z), CELL_M, routing=routing, border="outlets").area_in_m2 + CELL_M**2

    return {
        "fill": lambda z: drain(z).elevation,
        "d8": area("d8"),
        "mfd": area("mfd"),
        "mfd-freeman": area("mfd-freeman"),
        "dinf": area("dinf"),
    }


def richdem_steps() -> Steps:
    import richdem as rd

    def raster(z: np.ndarray) -> object:
        dem = rd.rdarray(z, no_data=-9999)
        dem.geotransform = [0, CELL_M, 0, 0, 0, -CELL_M]
        return dem

    def area(method: str, **options: float) -> Callable[[np.ndarray], np.ndarray]:
        def run(z: np.ndarray) -> np.ndarray:
            filled = rd.FillDepressions(raster(z), epsilon=True, in_place=False)
            return np.asarray(rd.FlowAccumulation(filled, method=method, **options))

        return run

    return {
        "fill": lambda z: np.asarray(rd.FillDepressions(raster(z), epsilon=False, in_place=False)),
        "d8": area("D8"),
        "mfd-freeman": area("Freeman", exponent=1.1),
        "mfd": area("Freeman", exponent=1.0),
        "dinf": area("Dinf"),
    }


def fastscapelib_steps() -> Steps:
    import fastscapelib as fs

    def area(router: Callable[[], object]) -> Callable[[np.ndarray], np.ndarray]:
        def run(z: np.ndarray) -> np.ndarray:
            grid = fs.RasterGrid(z.shape, [CELL_M, CELL_M], fs.NodeStatus.FIXED_VALUE)
            graph = fs.FlowGraph(grid, [fs.PFloodSinkResolver(), router()])
            graph.update_routes(z.astype(np.float64))
            return np.asarray(graph.accumulate(CELL_M**2))

        return run

    return {"d8": area(fs.SingleFlowRouter), "mfd": area(lambda: fs.MultiFlowRouter(1.0))}


def topotoolbox_steps() -> Steps:
    import topotoolbox as tt

    def raster(z: np.ndarray) -> object:
        dem = tt.GridObject()
        dem.z, dem.cellsize = z.copy(), CELL_M
        return dem

    return {
        "fill": lambda z: np.asarray(raster(z).fillsinks().z),
        "d8": lambda z: np.asarray(tt.FlowObject(raster(z)).flow_accumulation().z),
    }


def pyflwdir_steps() -> Steps:
    import pyflwdir
    from affine import Affine

    def d8(z: np.ndarray) -> np.ndarray:
        place = Affine(CELL_M, 0, 0, 0, -CELL_M, 0)
        flow = pyflwdir.from_dem(z, nodata=-9999.0, transform=place, latlon=False, outlets="edge")
        return np.asarray(flow.upstream_area("cell"))

    return {"fill": lambda z: pyflwdir.dem.fill_depressions(z, nodata=-9999.0)[0], "d8": d8}


def pysheds_steps() -> Steps:
    vars(np).setdefault("in1d", np.isin)  # pysheds 0.5 is older than NumPy 2.4, which dropped the name
    from affine import Affine
    from pysheds.grid import Grid
    from pysheds.view import Raster, ViewFinder

    def filled(z: np.ndarray) -> tuple[object, object]:
        view = ViewFinder(affine=Affine(CELL_M, 0, 0, 0, -CELL_M, 0), shape=z.shape, nodata=np.float64(-9999))
        grid = Grid(viewfinder=view)
        return grid, grid.fill_depressions(grid.fill_pits(Raster(z.astype(np.float64), view)))

    def area(routing: str) -> Callable[[np.ndarray], np.ndarray]:
        def run(z: np.ndarray) -> np.ndarray:
            grid, dem = filled(z)
            flow = grid.flowdir(grid.resolve_flats(dem), routing=routing)
            return np.asarray(grid.accumulation(flow, routing=routing))

        return run

    return {"fill": lambda z: np.asarray(filled(z)[1]), "d8": area("d8"), "mfd": area("mfd"), "dinf": area("dinf")}


def whitebox_steps() -> Steps:
    import rasterio
    import whitebox_workflows as wbw

    files = wbw.WbEnvironment()
    tools = files.hydrology
    folder = tempfile.mkdtemp()

    def raster(z: np.ndarray) -> object:
        path = os.path.join(folder, f"{z.shape[0]}.tif")
        if not os.path.exists(path):
            place = rasterio.Affine(CELL_M, 0, 420_000, 0, -CELL_M, 4_750_000)
            profile = {"driver": "GTiff", "height": z.shape[0], "width": z.shape[1], "count": 1, "dtype": z.dtype}
            with rasterio.open(path, "w", **profile, crs="EPSG:26916", nodata=-9999, transform=place) as out:
                out.write(z, 1)
        return files.read_raster(path)

    def area(tool: str) -> Callable[[np.ndarray], np.ndarray]:
        named = "dem" if tool == "fd8_flow_accum" else "input"
        return lambda z: np.asarray(getattr(tools, tool)(**{named: tools.fill_depressions(dem=raster(z))}).to_numpy())

    return {
        "fill": lambda z: np.asarray(tools.fill_depressions(dem=raster(z)).to_numpy()),
        "d8": area("d8_flow_accum"),
        "mfd": area("fd8_flow_accum"),
        "dinf": area("dinf_flow_accum"),
    }


def xarray_spatial_steps() -> Steps:
    import xarray
    import xrspatial

    def raster(z: np.ndarray) -> object:
        return xarray.DataArray(z, dims=("y", "x"), coords={"y": -np.arange(z.shape[0]), "x": np.arange(z.shape[1])})

    def d8(z: np.ndarray) -> np.ndarray:
        direction = xrspatial.flow_direction(xrspatial.fill(raster(z)))
        return np.asarray(xrspatial.flow_accumulation(direction))

    return {"d8": d8}


PEERS: dict[str, tuple[str, Callable[[], Steps]]] = {
    "sedcalc": ("sedcalc", sedcalc_steps),
    "py-richdem": ("richdem", richdem_steps),
    "fastscapelib": ("fastscapelib", fastscapelib_steps),
    "topotoolbox": ("topotoolbox", topotoolbox_steps),
    "whitebox-workflows": ("whitebox_workflows", whitebox_steps),
    "pyflwdir": ("pyflwdir", pyflwdir_steps),
    "pysheds": ("pysheds", pysheds_steps),
    "xarray-spatial": ("xrspatial", xarray_spatial_steps),
}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def own_chain(z: np.ndarray, routing: str) -> np.ndarray:
    from sedcalc.terrain.grid import grid_from_array
    from sedcalc.terrain.ls_raster import ls_raster

    grid = grid_from_array(z, (CELL_M, 0, 0, 0, -CELL_M, 0), xy_unit_m=1.0, z_unit_m=1.0)
    return ls_raster(grid, routing=routing, max_fill_m=None, border="outlets").ls.values


def child(peer: str, step: str, file: str, rounds: int, keep: str | None) -> None:
    """Run one step of one library, and print seconds and peak bytes."""
    steps = PEERS[peer][1]()
    chain = step.startswith("chain-")
    method = step.removeprefix("chain-")
    if method not in steps:
        print(json.dumps({"missing": True}))
        return

    def run(z: np.ndarray) -> np.ndarray:
        if not chain:
            return steps[method](z)
        return own_chain(z, method) if peer == "sedcalc" else ls_numpy(z, steps[method](z))

    run(synthetic(300))  # loads and compiles
    z = np.load(file)
    before = peak_bytes()
    times = []
    for _ in range(rounds):
        start, cpu = time.perf_counter(), os.times()
        result = run(z)
        end = os.times()
        times.append((time.perf_counter() - start, end.user - cpu.user, end.system - cpu.system))
        if sum(t[0] for t in times) > ENOUGH_SECONDS:
            break
    if keep:
        np.save(keep, result)
    seconds, user, system = min(times)
    used = max(peak_bytes() - before, 0) + z.nbytes
    print(json.dumps({"seconds": seconds, "user": user, "system": system, "bytes": used}))


def ask(peer: str, step: str, file: Path, rounds: int = ROUNDS, keep: Path | None = None) -> dict | None:
    """Return what a child says; None where the library lacks the step, with a word where it fails."""
    command = [sys.executable, "-W", "ignore", __file__, "--child", peer, step, str(file), str(rounds), str(keep or "")]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        reason = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        print(f"  {peer} {step}: stopped ({reason[:110]})", flush=True)
        return None
    answer = json.loads(lines[-1])
    return None if answer.get("missing") else answer


def installed(without: list[str]) -> list[str]:
    found = []
    for name, (module, _) in PEERS.items():
        if name in without:
            continue
        if importlib.util.find_spec(module) is None:
            print(f"{name} is not installed and is skipped")
        else:
            found.append(name)
    return found


def compare_times(peers: list[str], size: int, steps: list[str], folder: Path) -> None:
    file = folder / f"{size}.npy"
    np.save(file, synthetic(size))
    print(f"\n{size} x {size} cells, times of sedcalc's; d8, mfd, dinf with filling; chain with LS; bytes per cell")
    cells = size * size
    held: dict[str, float] = {}
    table: dict[str, str] = dict.fromkeys(peers, "")
    for step in steps:
        for peer in peers:
            # Ours again just before each of the others, so that both see the same machine.
            own = ask("sedcalc", step, file)
            other = own if peer == "sedcalc" else ask(peer, step, file)
            if own is None or other is None:
                table[peer] += f"{'-':>12}"
                continue
            held[peer] = max(held.get(peer, 0.0), other["bytes"] / cells)
            in_seconds = f"{own['seconds']:>11.2f}s"
            table[peer] += in_seconds if peer == "sedcalc" else f"{other['seconds'] / own['seconds']:>12.1f}"
        print(f"  {step} done", flush=True)
    print(f"{'':20}" + "".join(f"{s:>12}" for s in steps) + f"{'bytes':>8}")
    for peer in peers:
        print(f"{peer:20}{table[peer]}{held.get(peer, float('nan')):>8.0f}", flush=True)


def growth(sizes: list[int], folder: Path) -> None:
    print("\ngrowth of the chain by MFD, per cell: time, CPU time of both cores in our code, and in the system for")
    print("memory that is touched for the first time, peak bytes")
    print(f"{'size':>26}{'cells':>14}{'ns':>8}{'user ns':>10}{'system ns':>11}{'bytes':>8}")
    for size in sizes:
        file = folder / f"{size}.npy"
        if not file.exists():
            np.save(file, synthetic(size))
        answer = ask("sedcalc", "chain-mfd", file, rounds=2 if size <= 8000 else 1)
        if answer is not None:
            n = size * size
            ns = [answer[k] / n * 1e9 for k in ("seconds", "user", "system")]
            text = f"{size:>24,}^2{n:>14,}{ns[0]:>8.0f}{ns[1]:>10.0f}{ns[2]:>11.0f}{answer['bytes'] / n:>8.1f}"
            print(text, flush=True)
        file.unlink()


def agreement(peers: list[str], folder: Path) -> None:
    """Share of cells whose area equals ours to 1e-5, all border cells being outlets."""
    pairs = [
        ("fastscapelib", "d8"),
        ("py-richdem", "d8"),
        ("fastscapelib", "mfd"),
        ("py-richdem", "mfd"),
        ("py-richdem", "mfd-freeman"),
        ("pysheds", "dinf"),
        ("py-richdem", "dinf"),
    ]
    print("\nagreement of contributing areas, 400 x 400 cells, share of cells within 1e-5")
    for pits in (False, True):
        z = synthetic(400, pits=pits)
        file = folder / f"agree{pits}.npy"
        np.save(file, z)
        for peer, step in pairs:
            if peer not in peers:
                continue
            kept = [folder / f"{name}.npy" for name in ("ours", "theirs")]
            if ask("sedcalc", step, file, 1, kept[0]) is None or ask(peer, step, file, 1, kept[1]) is None:
                continue
            ours, theirs = (np.load(k)[1:-1, 1:-1].astype(np.float64) for k in kept)
            same = np.abs(theirs / ours - 1) < 1e-5
            print(f"  {peer:14}{step:12}{'with pits' if pits else 'no pits':10}{same.mean():8.2%}", flush=True)


def kernels(size: int) -> None:
    """Slope and LS in one pass against NumPy, and sums over zones against NumPy and the memory's own speed."""
    import numba

    from sedcalc.load.zonal import zonal_sums
    from sedcalc.terrain import ls_kernels as module
    from sedcalc.terrain.conditioning import drain
    from sedcalc.terrain.edges import edge_of
    from sedcalc.terrain.jit import over_rows
    from sedcalc.terrain.routing import route

    def best(call: Callable[[], object]) -> float:
        call()
        times = []
        for _ in range(5):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    z = synthetic(size)
    routed = route(drain(z), CELL_M)
    slope, ls = np.empty_like(z), np.empty_like(z)
    counts = np.zeros((size, module.CLASS0 + module.N_CLASSES), np.int64)
    sums = np.zeros((size, module.N_CLASSES + 1))
    edge = edge_of(z, routed.state)
    border = (edge.start, edge.col, edge.east, edge.south)
    args = (
        z,
        routed.state,
        border,
        routed.area_in_m2,
        slope,
        ls,
        counts,
        sums,
        CELL_M,
        1.0,
        2.0,
        None,
        None,
        False,
        304.8,
    )
    ours = best(lambda: over_rows(module.ls_of_rows, size, *args))
    with_numpy = best(lambda: ls_numpy(z, routed.area_in_m2 + 1.0))
    expected = ls_numpy(z, routed.area_in_m2 + 1.0)
    inside = ((routed.state & 8) == 0) & ~np.isnan(expected)
    error = np.abs(ls / expected - 1)[inside].max()
    n = size * size
    print(
        f"\nslope and LS fused, {size} x {size}: {ours / n * 1e9:.1f} ns/cell, NumPy {with_numpy / ours:.1f} times that"
    )
    print(f"  largest relative difference from float64: {error:.1e}")

    rng = np.random.default_rng(0)
    layers = [rng.random(z.shape, dtype=np.float32) for _ in range(18)]
    zone = ((np.arange(size)[:, None] // 100) * 1000 + np.arange(size) // 100).astype(np.int32)
    zone = np.unique(zone, return_inverse=True)[1].reshape(z.shape).astype(np.int32)
    count = int(zone.max()) + 1
    products = [(110.0, layers[0], layers[1], *pair) for pair in zip(layers[2::2], layers[3::2], strict=True)]

    def numpy_sums() -> None:
        for r, k, lsf, c, p in products:
            np.bincount(zone.ravel(), (r * k * lsf * c * p).ravel(), minlength=count)

    a, b, c = (np.ones(30_000_000) for _ in range(3))

    @numba.njit(parallel=True)
    def triad(a, b, c):  # type: ignore[no-untyped-def]
        for i in numba.prange(len(a)):
            a[i] = b[i] + 3.0 * c[i]

    ours = best(lambda: zonal_sums(zone, count, products))
    with_numpy = best(numpy_sums)
    memory = 24 * len(a) / best(lambda: triad(a, b, c))
    speed = n * (4 * 3 + 8 * 8) / ours
    print(
        f"R K LS C P of 8 phases with sums over {count} zones: {ours / n * 1e9:.1f} ns/cell, "
        f"NumPy {with_numpy / ours:.1f}"
    )
    print(f"  times that; {speed / 1e9:.1f} GB/s read, triad {memory / 1e9:.1f} GB/s: {speed / memory:.0%}")
    scenarios(best)


def scenarios(best: Callable[[Callable[[], object]], float]) -> None:
    """How many scenarios of covers a second come from R K LS by zone and class, and from the windows of a site."""
    import sedcalc as sc
    from sedcalc.compliance.scenario_figures import scenario_figures

    rng = np.random.default_rng(0)
    zones, classes, count = 1600, 20, 1000
    shape = (zones, classes)
    small = sc.KLSTable(tuple(range(zones)), tuple(range(classes)), rng.random(shape), np.ones(shape), ())
    covers, supports = rng.random((count, classes)), rng.random((count, classes))
    at_once = count / best(lambda: small.soil_loss(covers, supports))
    singly = count / best(lambda: [small.soil_loss(c, p) for c, p in zip(covers, supports, strict=True)])
    print(f"C and P of {classes} classes in {zones} zones, from the sums of R K LS: {at_once:,.0f} scenarios a second")
    print(f"  at once, {singly:,.0f} one by one")
    load = sc.sediment_load(sc.read_site(sc.example("hales_corners_subdivision.toml")))
    figures = scenario_figures(load, "worst_12_months", "each_drainage_area")
    ratios = rng.random((count, len(figures.groups)))
    ours = count / best(lambda: [figures.by_area(dict(enumerate(r)), {0: 0.4}) for r in ratios.tolist()])
    print(f"covers of {len(figures.groups)} groups and a practice, worst of {len(figures.tons)} windows of 12 months:")
    print(f"  {ours:,.0f} scenarios a second")


def first_use() -> None:
    """CPU seconds to compile everything that LS needs, in a fresh cache."""
    code = (
        "import time, numpy as np\n"
        "from sedcalc.terrain.grid import grid_from_array\n"
        "from sedcalc.terrain.ls_raster import ls_raster\n"
        "z = np.random.default_rng(0).random((300, 300)).astype('f4')\n"
        "g = grid_from_array(z, (1, 0, 0, 0, -1, 0), xy_unit_m=1.0, z_unit_m=1.0)\n"
        "s = time.process_time(); ls_raster(g); print(time.process_time() - s)\n"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Modules come from byte code, as after `pip install`: the first round only makes it.
        environment = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        seconds = []
        for cache in ("warm-up", "kernels", "kernels"):
            environment["NUMBA_CACHE_DIR"] = str(folder / cache)
            (folder / cache).mkdir(exist_ok=True)
            command = [sys.executable, "-c", code]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            seconds.append(float(done.stdout))
    _, compiled, cached = seconds
    print(f"\nfirst use compiles in {compiled:.1f} s of CPU time; from the cache {cached:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4000, help="cells each way for the comparison")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 2000, 4000, 8000], help="for growth")
    parser.add_argument("--only", choices=["times", "growth", "agreement", "kernels", "first-use"], nargs="*")
    parser.add_argument("--without", nargs="*", default=[], choices=list(PEERS)[1:], help="libraries to leave out")
    parser.add_argument("--steps", nargs="*", default=STEPS, choices=STEPS, help="for times")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        peer, step, file, rounds, keep = args.child
        child(peer, step, file, int(rounds), keep or None)
        return
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    peers = installed(args.without)
    wanted = args.only or ["first-use", "kernels", "agreement", "times", "growth"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "first-use" in wanted:
            first_use()
        if "kernels" in wanted:
            kernels(args.size)
        if "agreement" in wanted:
            agreement(peers, folder)
        if "times" in wanted:
            compare_times(peers, args.size, args.steps, folder)
        if "growth" in wanted:
            growth(args.sizes, folder)


if __name__ == "__main__":
    main()
