"""A file appears complete or not at all, and nothing is left beside it."""

import os
import stat

import numpy as np
import pytest

from sedcalc.findings import EnvironmentFault
from sedcalc.io.rasters import write_grid
from sedcalc.io.whole_files import whole_file, write_whole
from sedcalc.terrain.grid import grid_from_array


def test_it_takes_its_place_with_the_permissions_of_a_new_file(tmp_path):
    target = tmp_path / "table.csv"
    target.write_text("old")
    mask = os.umask(0o027)
    try:
        write_whole(target, b"new", "table")
    finally:
        os.umask(mask)
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "map.tif"
    target.write_text("old")

    def interrupted():
        with whole_file(target) as part:
            assert (part.parent, part.suffix) == (tmp_path, ".tif")
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(EnvironmentFault, match="the report cannot be written: it is there, and no file"):
        write_whole(tmp_path, b"", "report")
    with pytest.raises(EnvironmentFault, match="the report cannot be written: No such file"):
        write_whole(tmp_path / "absent" / "report.html", b"", "report")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"rows", "table")
        assert os.read(reader, 10) == b"rows"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(OSError, match="no file"), whole_file(pipe):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_why_a_raster_cannot_be_written_is_said(tmp_path):
    import resource

    values = np.random.default_rng(1).random((300, 300))
    grid = grid_from_array(values, (1, 0, 420_000, 0, -1, 4_750_000), "EPSG:26916", xy_unit_m=1.0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(EnvironmentFault, match=r"(?i)cannot be written: .*tiff.* free there"):
            write_grid(tmp_path / "a.tif", grid, units_tag="1", description="random")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
