"""Check a sedcalc that was installed from its wheel, against the checkout that the wheel was built from.

Run it with the Python of a fresh environment, in a folder outside the checkout:
``python -I check_installed.py CHECKOUT``.
"""

import importlib.metadata
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import sedcalc


def contents(folder: Path) -> dict[str, bytes]:
    """Each file below a folder, by its relative path."""
    files = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def differences(checkout: Path) -> list[str]:
    """What is wrong with the installed files."""
    wrong = []
    package = Path(sedcalc.__file__).resolve().parent
    if not package.is_relative_to(Path(sys.prefix).resolve()) or package.is_relative_to(checkout):
        wrong.append(f"sedcalc was imported from {package}, not from this environment")
    installed = contents(package)
    expected = contents(checkout / "src" / "sedcalc")
    for name in ("data", "examples"):
        files = contents(checkout / name)
        if not files:
            wrong.append(f"{checkout / name} is empty")
        expected |= {f"{name}/{path}": text for path, text in files.items()}
    wrong += [f"not in the wheel: {path}" for path in sorted(expected.keys() - installed.keys())]
    wrong += [f"only in the wheel: {path}" for path in sorted(installed.keys() - expected.keys())]
    both = sorted(expected.keys() & installed.keys())
    wrong += [f"changed on the way: {path}" for path in both if expected[path] != installed[path]]

    distribution = importlib.metadata.distribution("sedcalc")
    if distribution.version != sedcalc.__version__:
        wrong.append(f"metadata say {distribution.version}, the package {sedcalc.__version__}")
    listed = [str(path) for path in distribution.files or []]
    for licence in ("LICENSE", "LICENSE-DATA"):
        if not any(path.endswith(f".dist-info/licenses/{licence}") for path in listed):
            wrong.append(f"{licence} is not in the wheel")
    ours = re.compile(r"sedcalc(-[^/]*\.dist-info)?/|(\.\./)+(bin|Scripts)/sedcalc")
    wrong += [f"installed outside the package: {path}" for path in listed if not ours.match(path)]
    return wrong


def run(scripts: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """The console script of an environment."""
    command = [scripts / "sedcalc", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)


def main(checkout: Path) -> int:
    """Compare the files, run the demo, and compare a result with the checkout's."""
    wrong = differences(checkout)
    here = Path(sysconfig.get_path("scripts"))
    demo = run(here, "demo")
    print(demo.stdout.decode(), demo.stderr.decode(), sep="")
    if demo.returncode != 0 or not demo.stdout.strip():
        wrong.append(f"sedcalc demo: exit {demo.returncode}")
    sites = sorted((Path(sedcalc.__file__).parent / "examples").rglob("*.toml"))
    if not sites:
        wrong.append("no example sites in the installed package")
    for site in sites:
        ours = run(here, "run", site, "--json")
        theirs = run(checkout / ".venv" / "bin", "run", site, "--json")
        same = ours.stdout == theirs.stdout
        if not same or ours.returncode not in (0, 1) or ours.returncode != theirs.returncode:
            wrong.append(
                f"run {site.name}: exit {ours.returncode} here, {theirs.returncode} in the checkout, "
                f"output {'equal' if same else 'not equal'}\n{ours.stderr.decode()}"
            )
    for line in wrong:
        print(f"FAIL {line}")
    if not wrong:
        print(f"ok: the wheel has the checkout's files, and its {len(sites)} sites give the checkout's bytes")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
