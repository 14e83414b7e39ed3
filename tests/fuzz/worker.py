"""Feeds damaged files to the command line in this process, and reports each that is not answered properly.

Proper is: an exit code of 0, 1 or 2; no traceback and no internal error; JSON that parses where it was asked for; no
control characters in text; nothing written outside the output folder; no connection to anywhere; within the time. The
limit on memory is set for the process, so that a file that takes too much shows as exit code 3.
"""

import contextlib
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEMORY_BYTES = 3_000_000_000
SECONDS = 90.0
_ALWAYS_WRITTEN = ("/dev/null",)


class TooSlow(BaseException):
    """A case took longer than it may."""


class Watch:
    """Notes what the code writes, connects to or starts while a case runs."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        self.allowed = allowed
        self.seen: list[str] = []
        self.on = False
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            path, mode, flags = args
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                mode is None and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
            if writes and not isinstance(path, int):
                self.written(path)
        elif event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate"):
            for path in args[:2]:
                if isinstance(path, str | bytes):
                    self.written(path)
        elif event == "subprocess.Popen" and args[1] == ["lscpu"]:
            pass  # numpy.testing of numpy 1 asks for the processor when it is imported
        elif event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.fork"):
            self.seen.append(f"{event} {args!r}"[:200])

    def written(self, path: Any) -> None:
        absolute = os.path.abspath(os.fsdecode(path))
        if not absolute.startswith(self.allowed) and absolute not in _ALWAYS_WRITTEN:
            self.seen.append(f"wrote {absolute}")


def run_case(argv: list[str], folder: Path, out: Path, watch: Watch) -> tuple[Any, list[str]]:
    """Run one command line, and return its exit code and what is wrong with how it was answered."""
    from sedcalc.cli import main

    stdout, stderr = io.StringIO(), io.StringIO()
    before = sorted(os.listdir(folder))
    watch.seen, watch.on = [], True
    begun = time.monotonic()
    code: Any = None
    wrong: list[str] = []
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            code = main([a.replace("{out}", str(out)) for a in argv])
    except TooSlow:
        wrong.append("too slow")
    except BaseException as error:
        wrong.append(f"raised {type(error).__name__}: {error}"[:300])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        watch.on = False
    said, told = stdout.getvalue(), stderr.getvalue()
    if not wrong and code not in (0, 1, 2):
        wrong.append(f"exit code {code}: {(told or said)[:600]}")
    if "Traceback" in said + told:
        wrong.append(f"traceback: {told[-600:]}")
    if "internal error" in said:
        wrong.append(f"internal error: {said[:300]}")
    if "--json" in argv and code in (0, 1, 2):
        wrong += wrong_json(said)
    hidden = [c for c in said + told if c != "\n" and (c < " " or "\x7f" <= c < "\xa0" or "\u2028" <= c <= "\u202e")]
    if hidden:
        wrong.append(f"control characters {hidden[:5]!r}")
    wrong += watch.seen
    after = sorted(os.listdir(folder))
    if before != after:
        wrong.append(f"files appeared or went: {sorted(set(before) ^ set(after))}")
    if time.monotonic() - begun > SECONDS:
        wrong.append(f"took {time.monotonic() - begun:.1f} s")
    return code, wrong


def wrong_json(text: str) -> list[str]:
    """Return what is wrong with an answer that must be one JSON object of finite numbers."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        found = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return [f"not JSON ({error}): {text[:200]!r}"]
    return [] if isinstance(found, dict) else ["not an object"]


def work(name: str, first: int, count: int, seconds: float, status: Path) -> dict[str, Any]:
    """Run `count` cases of a format from seed `first` on, for no longer than `seconds`."""
    import resource

    from fuzz.formats import FORMATS
    from sedcalc.io.gdal_guard import guard_process

    guard_process()
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, _alarm)
    form = FORMATS[name]
    failures: list[dict[str, Any]] = []
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as base:
        folder, out = Path(base, "in"), Path(base, "out")
        folder.mkdir()
        out.mkdir()
        form.prepare(folder)
        os.chdir(folder)
        sound = (folder / form.name).read_bytes()
        caches = (os.environ.get("NUMBA_CACHE_DIR", str(out)), str(Path.home() / ".cache" / "sedcalc"))
        watch = Watch((str(out), *caches))
        for argv in form.commands:  # sound first; also loads and compiles what the cases use
            _, wrong = run_case(argv, folder, out, watch)
            if wrong:
                failures.append({"seed": "sound", "argv": argv, "wrong": wrong})
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        end = time.monotonic() + seconds
        done = 0
        for seed in range(first, first + count):
            if time.monotonic() > end:
                break
            dice = random.Random(f"{name} {seed}")
            damaged = dice.choice(form.changes)(sound, dice)
            argv = dice.choice(form.commands)
            (folder / form.name).write_bytes(damaged)
            status.write_text(str(seed), "ascii")
            code, wrong = run_case(argv, folder, out, watch)
            codes[str(code)] = codes.get(str(code), 0) + 1
            done += 1
            if wrong:
                failures.append({"seed": seed, "argv": argv, "wrong": wrong})
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"done": done, "failures": failures, "peak_kb": peak, "codes": codes}


def _alarm(*_: Any) -> None:
    raise TooSlow


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    name, first, count, seconds, status = sys.argv[1:]
    print(json.dumps(work(name, int(first), int(count), float(seconds), Path(status))))
