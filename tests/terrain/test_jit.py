import ast
import importlib
import logging
import os
import pkgutil
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

from sedcalc import terrain
from sedcalc.load import zonal_kernels
from sedcalc.terrain import jit as module


@pytest.fixture
def fresh_folder():
    module.cache_folder.cache_clear()
    yield
    module.cache_folder.cache_clear()


def double(x):
    return 2 * x


def test_machine_code_goes_to_a_private_folder(tmp_path, monkeypatch, fresh_folder):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiled = module.jit(double)
    assert compiled(3) == 6
    folder = module.cache_folder()
    assert folder.parent == tmp_path
    if hasattr(os, "getuid"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.rglob("*.nbi"))


def test_compilation_is_told_of_once_and_only_where_there_is_some(tmp_path, monkeypatch, fresh_folder):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = []
    compiled = module.jit(double)
    with module.telling_of_compilation(said.append):
        assert (compiled(3), compiled(3.0)) == (6, 6.0)
    assert len(said) == 1
    assert "compiling, once on this machine" in said[0]
    with module.telling_of_compilation(said.append):
        assert compiled(4) == 8
        assert module.jit(double)(3) == 6  # compiled by another process, say
    assert len(said) == 1
    with module.telling_of_compilation(said.append):
        assert compiled(1j) == 2j  # numbers of another kind
    assert len(said) == 2


def test_a_folder_that_others_can_write_to_is_passed_over(tmp_path, monkeypatch, fresh_folder):
    if not hasattr(os, "getuid"):
        pytest.skip("no such permissions on this platform")
    open_to_all, private = tmp_path / "a", tmp_path / "b"
    name = f"sedcalc-kernels-{module._digest()}"
    (open_to_all / name).mkdir(parents=True)
    (open_to_all / name).chmod(0o777)
    monkeypatch.setattr(module, "_candidates", lambda: [open_to_all, private])
    assert module.cache_folder() == private / name


def test_without_any_folder_kernels_still_work_and_it_is_said(tmp_path, monkeypatch, fresh_folder, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(module, "_candidates", lambda: [blocked])

    def triple(x):
        return 3 * x

    with caplog.at_level(logging.WARNING, "sedcalc"):
        assert module.jit(triple)(3) == 9
    assert "compiled anew" in caplog.text


def test_every_file_with_a_kernel_counts_for_the_name_of_the_folder():
    """Else a kernel that calls one from a changed file would be taken from the cache as it was."""
    modules = [importlib.import_module(f"sedcalc.terrain.{m.name}") for m in pkgutil.iter_modules(terrain.__path__)]
    values = [v for m in (*modules, zonal_kernels) for v in vars(m).values()]
    files = {Path(v.py_func.__code__.co_filename) for v in values if hasattr(v, "py_func")}
    folder = Path(module.__file__).parent
    listed = {(folder / name).resolve() for name in module._KERNEL_FILES}
    assert files
    assert files <= listed
    assert all(file.is_file() for file in listed)


def test_every_file_whose_constants_a_kernel_takes_counts_too():
    """A constant is frozen into the machine code: with the file unlisted, the old number would go on being used."""
    folder = Path(module.__file__).parent
    listed = {(folder / name).resolve() for name in module._KERNEL_FILES}
    assert len(listed) == len(module._KERNEL_FILES)
    taken = set()
    for file in listed:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sedcalc"):
                source = importlib.import_module(node.module)
                for name in (alias.name for alias in node.names):
                    value = getattr(source, name)
                    if isinstance(value, ModuleType):
                        taken.add(value)
                    elif isinstance(value, bool | int | float | tuple | np.ndarray | np.generic):
                        taken.add(source)
    files = {Path(m.__file__).resolve() for m in taken}
    assert {"topography.py", "_slope_checks.py", "units.py", "state.py"} <= {f.name for f in files}
    assert files <= listed


def test_rows_are_each_done_once():
    seen = np.zeros((1001, 3), np.int64)

    @numba.njit(nogil=True)
    def kernel(first, end, out):
        for r in range(first, end):
            out[r] += 1

    module.over_rows(kernel, 1001, seen)
    assert (seen == 1).all()
    few = np.zeros((3, 3), np.int64)
    module.over_rows(kernel, 3, few)
    assert (few == 1).all()


def test_importing_the_package_loads_no_numba():
    code = (
        "import sys, sedcalc, sedcalc.terrain, sedcalc.io\n"
        "print(sorted({'numba', 'rasterio', 'scipy'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
