"""Many surfaces as tasks: the same bytes from two worker processes as from one."""

from concurrent.futures import CancelledError
from types import SimpleNamespace

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from sedcalc.findings import EnvironmentFault, InputError
from sedcalc.io import many
from sedcalc.io.many import ls_of_many


@pytest.fixture
def surfaces(tmp_path):
    """Three hydrologic units, and one whose file is no raster."""
    paths = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        z = (200 + rng.random((300, 260)) - 0.1 * np.arange(300)[:, None]).astype(np.float32)
        path = tmp_path / f"unit{seed}.tif"
        profile = {"driver": "GTiff", "height": 300, "width": 260, "count": 1, "dtype": "float32"}
        with rasterio.open(
            path, "w", **profile, crs="EPSG:26916", transform=Affine(2, 0, 420_000, 0, -2, 4_750_000)
        ) as out:
            out.write(z, 1)
        paths.append(path)
    broken = tmp_path / "broken.tif"
    broken.write_text("no raster")
    return [*paths, broken]


def checked(results, folder, surfaces):
    assert [r.dem.name for r in results] == [s.name for s in surfaces]
    assert all(r.out == folder / f"{r.dem.stem}_ls.tif" for r in results[:3])
    assert all(r.summary.cells > 0 for r in results[:3])
    assert results[3].out is None
    assert [f.code for f in results[3].findings] == ["raster-unreadable"]
    return {r.dem.name: r.out.read_bytes() for r in results[:3]}


def test_one_after_the_other(surfaces, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    said = []
    checked(ls_of_many(surfaces, folder, z_units="m", progress=said.append), folder, surfaces)
    assert said == [s.name for s in surfaces]


def test_names_and_folder_are_checked_first(surfaces, tmp_path):
    with pytest.raises(InputError, match="no folder"):
        ls_of_many(surfaces, tmp_path / "none")
    with pytest.raises(InputError, match="would both be written"):
        ls_of_many([*surfaces, tmp_path / "other" / surfaces[0].name], tmp_path)
    with pytest.raises(InputError, match="is given twice; leave one out"):
        ls_of_many([*surfaces, surfaces[0]], tmp_path)
    with pytest.raises(InputError, match="give the surfaces in a list"):
        ls_of_many(str(surfaces[0]), tmp_path)


def test_a_surface_whose_worker_dies_does_not_lose_the_others(surfaces, tmp_path):
    pytest.importorskip("distributed")
    from distributed.scheduler import KilledWorker

    class Task:
        def __init__(self, work):
            self.work = work

        def result(self, timeout):
            return self.work()

    class Client:
        def submit(self, function, dem, *args, pure):
            if dem.name == "unit1.tif":
                raise_it = KilledWorker("unit1", None, 3)
                return Task(lambda: (_ for _ in ()).throw(raise_it))
            return Task(lambda: function(dem, *args))

    folder = tmp_path / "out"
    folder.mkdir()
    results = ls_of_many(surfaces, folder, client=Client(), z_units="m")
    assert [r.out is None for r in results] == [False, True, False, True]
    assert [(f.code, f.severity, f.where) for f in results[1].findings] == [("worker-lost", "error", "unit1.tif")]


class Scheduler:
    """A client whose tasks raise what is given when they are waited for."""

    def __init__(self, error, workers=()):
        self.error, self.workers, self.looks = error, list(workers), 0
        self.scheduler = SimpleNamespace(address="tcp://there:8786")

    def submit(self, *args, pure):
        return self

    def result(self, timeout):
        raise self.error

    def scheduler_info(self):
        self.looks += 1
        return {"workers": self.workers.pop(0) if self.workers else {}}


def test_a_cluster_without_workers_is_given_up(surfaces, tmp_path, monkeypatch):
    """It may lose its workers and get new ones; where none comes, that is said instead of waiting for ever."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(many, "_SECONDS_WITHOUT_WORKER", 0)
    client = Scheduler(TimeoutError(), workers=[{"a": 1}, {"a": 1}])
    with pytest.raises(EnvironmentFault, match="scheduler at tcp://there:8786 has had no worker for 0 s; start some"):
        ls_of_many(surfaces, tmp_path, client=client, z_units="m")
    assert client.looks == 3


@pytest.mark.parametrize("error", [CancelledError("lost"), ConnectionError("closed")])
def test_a_scheduler_that_is_gone_is_said_once(surfaces, tmp_path, error):
    pytest.importorskip("distributed")
    with pytest.raises(EnvironmentFault, match="scheduler is gone"):
        ls_of_many(surfaces, tmp_path, client=Scheduler(error), z_units="m")
    assert not list(tmp_path.glob("*_ls.tif"))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what dask's own start and stop warn of
def test_two_workers_give_the_bytes_of_one_process(surfaces, tmp_path):
    distributed = pytest.importorskip("distributed")
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    alone = checked(ls_of_many(surfaces, here, z_units="m"), here, surfaces)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        results = ls_of_many(surfaces, there, client=client, z_units="m")
        assert len(client.scheduler_info()["workers"]) == 2
    assert checked(results, there, surfaces) == alone
