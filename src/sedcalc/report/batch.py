"""Batches: many submissions verified in worker processes, in order, one bad file harming no other.

Each worker is a process of its own (spawned, never forked) that cannot reach the network through GDAL, with a limit on
its memory where the platform has one, under the parent's clock. A worker that dies or hangs costs the submission it
was at; a new one takes over the rest. Results come in the order of the paths, and hold nothing that depends on timing,
so that any number of workers gives the same lines.
"""

import hashlib
import json
import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from sedcalc.findings import EnvironmentFault, Finding, InputError, input_error
from sedcalc.limits import LIMITS, limit_memory, out_of_memory, ran_out_of_memory

TIMEOUT_S: Final = 60.0
"""Longest time for one submission, s."""

MEMORY_BYTES: Final = LIMITS["batch_memory_mb"].default * 1_000_000
"""Address space of a worker, bytes."""

_AHEAD = 16  # submissions that wait in a worker's pipe, so that it never waits for the parent
_WINDOW = 256  # finished submissions that wait for one before them, per worker
_START_OF_LINE = b'{"path":'
_LONGEST_LINE = 100_000_000  # bytes of a result
_START_S = 60.0  # a spawned worker imports before its first answer


@dataclass(frozen=True, slots=True)
class Options:
    """What every submission of a batch is verified with.

    Parameters
    ----------
    tolerance_pct, ordinance, county
        As for `sedcalc.verify`.
    """

    tolerance_pct: float | None = None
    ordinance: str | None = None
    county: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return what a line of results says of them; what is not supplied is left out."""
        supplied = {"ordinance": self.ordinance, "county": self.county}
        return {"tolerance_pct": self.tolerance_pct, **{k: v for k, v in supplied.items() if v is not None}}


@dataclass(slots=True)
class Summary:
    """Counts of a batch.

    Parameters
    ----------
    verified, not_verified, undetermined
        Submissions by status.
    failed
        Submissions that could not be read or computed; with ``undetermined`` they make the exit code 2.
    skipped
        Of all these, how many an earlier run had done.
    """

    verified: int = 0
    not_verified: int = 0
    undetermined: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        """Submissions so far."""
        return self.verified + self.not_verified + self.undetermined + self.failed

    @property
    def exit_code(self) -> int:
        """0 where all are verified, 1 where some are not, 2 where some are undetermined or failed."""
        return 2 if self.undetermined or self.failed else 1 if self.not_verified else 0

    def count(self, line: dict[str, Any]) -> None:
        """Count one result.

        Parameters
        ----------
        line
            A result of `verify_batch`.
        """
        if line["failed"]:
            self.failed += 1
        elif line["status"] == "verified":
            self.verified += 1
        elif line["status"] == "not_verified":
            self.not_verified += 1
        else:
            self.undetermined += 1


def verify_batch(
    paths: Iterable[str | Path],
    workers: int = 1,
    *,
    tolerance_pct: float | None = None,
    ordinance: str | None = None,
    county: str | None = None,
    timeout_s: float = TIMEOUT_S,
    memory_bytes: int = MEMORY_BYTES,
) -> Iterator[dict[str, Any]]:
    """Yield the verification of each submission, in the order of the paths.

    Parameters
    ----------
    paths
        Submission files.
    workers
        Processes, 1 or more; 0 computes in this process, without protection from files that crash or hang.
    tolerance_pct, ordinance, county
        As for `sedcalc.verify`.
    timeout_s
        Longest time for one submission, s.
    memory_bytes
        Largest address space of a worker, bytes, where the platform has such a limit.

    Returns
    -------
    iterator of dict
        For each submission the JSON object of the verification (``sedcalc.verify/1``, without the values of rows
        that hold), with ``path``, ``input_sha256`` (null where the file cannot be read) and ``failed``: true where
        nothing was compared, with the reason among the findings.

    Raises
    ------
    InputError
        If a number is out of range.

    Notes
    -----
    A program that calls this with workers must guard its own start with ``if __name__ == "__main__":``, as with every
    use of processes.

    Examples
    --------
    The shipped submission claims what the calculation gives:

    >>> import sedcalc as sc
    >>> [v["status"] for v in sc.verify_batch([sc.example("hales_corners_submission.toml")], workers=0)]
    ['verified']
    """
    if workers < 0 or timeout_s <= 0 or memory_bytes <= 0:
        raise input_error("out-of-range", "workers must be 0 or more, limits above 0", "workers")
    options = Options(tolerance_pct, ordinance, county)
    if workers == 0:
        return (_verified(str(path), options) for path in paths)
    return _Pool(workers, options, timeout_s, memory_bytes).run(iter(paths))


def run_batch(
    paths: Sequence[str | Path],
    out: Path,
    workers: int = 1,
    *,
    tolerance_pct: float | None = None,
    ordinance: str | None = None,
    county: str | None = None,
    progress: Callable[[Summary, int], None] | None = None,
    timeout_s: float = TIMEOUT_S,
    memory_bytes: int = MEMORY_BYTES,
) -> Summary:
    """Verify submissions into an NDJSON file, going on where an earlier run stopped.

    Parameters
    ----------
    paths
        Submission files.
    out
        The file, one JSON object a line in the order of the paths. Lines of an earlier run are kept as long as they
        are of these paths, in this order, and the submissions have not changed since; the rest is written anew.
    workers, tolerance_pct, ordinance, county
        As for `verify_batch`.
    progress
        Called after each submission with the counts so far and the number of all.
    timeout_s, memory_bytes
        As for `verify_batch`.

    Returns
    -------
    Summary
        Counts of all lines of the file.

    Raises
    ------
    InputError
        If a number is out of range, or `out` is a file that no batch wrote.
    EnvironmentFault
        If the file cannot be read or written.

    Notes
    -----
    Results do not say by which version or tolerance an earlier run made them skip; remove the file to start anew.
    """
    summary = Summary()
    try:
        refuse_other_file(out)
        done, size = _done(out, paths, Options(tolerance_pct, ordinance, county))
        for line in done:
            summary.count(line)
        summary.skipped = summary.total
        with open(out, "ab") as file:
            file.truncate(size)
            rest = paths[summary.skipped :]
            options: dict[str, Any] = {
                "tolerance_pct": tolerance_pct,
                "ordinance": ordinance,
                "county": county,
                "timeout_s": timeout_s,
                "memory_bytes": memory_bytes,
            }
            for line in verify_batch(rest, workers, **options):
                file.write(ndjson(line).encode())
                file.flush()
                summary.count(line)
                if progress is not None:
                    progress(summary, len(paths))
    except OSError as error:
        raise EnvironmentFault(f"{out}: {error.strerror or error}") from error
    return summary


def ndjson(line: dict[str, Any]) -> str:
    """Return a result as one line of JSON, ASCII only.

    Parameters
    ----------
    line
        A result of `verify_batch`.
    """
    return json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n"


def refuse_other_file(out: Path, heading: Sequence[str] = ()) -> None:
    """Refuse a file for the results of a batch that holds something else.

    Parameters
    ----------
    out
        The file; one that is not there, or empty, is fine.
    heading
        First columns of a table; none for NDJSON.

    Raises
    ------
    InputError
        If it does not begin as a batch's results do.
    """
    if not out.exists():
        return
    with open(out, "rb") as file:
        first = file.readline(_LONGEST_LINE)
    if heading:
        fits = first.startswith(",".join(heading).encode())
    else:
        try:
            line = json.loads(first) if first else {"batch": {}}
            fits = isinstance(line, dict) and isinstance(line.get("batch"), dict)
        except (ValueError, RecursionError):  # an earlier run may have ended within it
            fits = not first.endswith(b"\n") and _START_OF_LINE.startswith(first[: len(_START_OF_LINE)])
    if first and not fits:
        message = "this is no result of a batch, and it was not touched; name another file, or remove it first"
        raise input_error("not-a-batch-result", message, str(out))


def _done(out: Path, paths: Sequence[str | Path], options: Options) -> tuple[list[dict[str, Any]], int]:
    """Return the lines of an earlier run that still hold, and the bytes they take."""
    import sedcalc

    lines: list[dict[str, Any]] = []
    size = 0
    if not out.exists():
        return lines, size
    with open(out, "rb") as file:
        for path, raw in zip(paths, file, strict=False):
            try:
                line = json.loads(raw)
                fits = (
                    raw.endswith(b"\n")
                    and line["path"] == str(path)
                    and line["batch"] == {"version": sedcalc.__version__, **options.as_dict()}
                    and line["input_sha256"] == _sha256(str(path))
                    and isinstance(line["failed"], bool)
                    and isinstance(line["status"], str)
                )
            except (ValueError, KeyError, TypeError):
                fits = False
            if not fits:
                break
            lines.append(line)
            size += len(raw)
    return lines, size


def _sha256(path: str) -> str | None:
    from sedcalc.io.site_files import read_bytes, refuse_link_out

    try:
        refuse_link_out(Path(path))
        return hashlib.sha256(read_bytes(Path(path))).hexdigest()
    except InputError:
        return None


def _verified(path: str, options: Options, memory_bytes: int | None = None) -> dict[str, Any]:
    """Return the result of one submission, within the memory of a worker; no error of its own leaves this function."""
    from sedcalc.compliance.verification import verify
    from sedcalc.report.verify_results import verify_failure_object, verify_object

    sha256 = None
    try:
        result = verify(path, tolerance_pct=options.tolerance_pct, ordinance=options.ordinance, county=options.county)
        found, failed = verify_object(result, passed_rows=False), False
        sha256 = found["provenance"]["files"].get(Path(path).name)
    except InputError as error:
        found, failed = verify_failure_object(error.findings), True
    except BaseException as error:  # whatever it is, the batch goes on
        no_memory = ran_out_of_memory(error)
        if not (no_memory or isinstance(error, Exception)):
            raise
        if no_memory and memory_bytes is not None:
            findings = out_of_memory("batch_memory_mb", memory_bytes, "(file)").findings
        else:
            findings = (_internal(type(error).__name__, str(error)),)
        found, failed = verify_failure_object(findings), True
    return _line(path, sha256 or _sha256(path), failed, found, options)


def _internal(kind: str, said: str) -> Finding:
    message = f"the calculation stopped by an internal error ({kind}: {said[:200]}); this submission was not verified"
    return Finding("internal-error", "error", message, "(file)")


def _line(path: str, sha256: str | None, failed: bool, found: dict[str, Any], options: Options) -> dict[str, Any]:
    import sedcalc

    batch = {"version": sedcalc.__version__, **options.as_dict()}
    return {"path": path, "input_sha256": sha256, "failed": failed, "batch": batch, **found}


def _serve(connection: Connection, options: Options, memory_bytes: int) -> None:
    """Answer paths with results until the parent closes the pipe."""
    from sedcalc.io.gdal_guard import guard_process

    guard_process()
    import_module("sedcalc.report.verify_results")  # before the clock of the first submission runs
    limit_memory(memory_bytes)
    connection.send_bytes(b"ready")
    while True:
        try:
            path = connection.recv_bytes().decode("utf-8", "surrogateescape")
        except (EOFError, OSError):
            return
        connection.send_bytes(json.dumps(_verified(path, options, memory_bytes), allow_nan=False).encode())


@dataclass(slots=True)
class _Worker:
    """A process, its pipe, the submissions given to it in order, and since when it has been at the first."""

    process: BaseProcess
    connection: Connection
    given: deque[tuple[int, str]] = field(default_factory=deque)
    since: float = 0.0
    ready: bool = False


class _Pool:
    """Workers over a stream of paths."""

    def __init__(self, workers: int, options: Options, timeout_s: float, memory_bytes: int) -> None:
        self.count, self.options = workers, options
        self.timeout_s, self.memory_bytes = timeout_s, memory_bytes
        self.workers: list[_Worker] = []
        self.again: deque[tuple[int, str]] = deque()
        self.results: dict[int, dict[str, Any]] = {}

    def run(self, paths: Iterator[str | Path]) -> Iterator[dict[str, Any]]:
        """Yield results in order."""
        todo = enumerate(str(p) for p in paths)
        following, ended = 0, False
        try:
            while True:
                ended = self._hand_out(todo, following, ended)
                if not any(w.given for w in self.workers) and not self.again and ended:
                    break
                self._collect()
                while following in self.results:
                    yield self.results.pop(following)
                    following += 1
            while following in self.results:
                yield self.results.pop(following)
                following += 1
        finally:
            for worker in self.workers:
                self._end(worker)

    def _hand_out(self, todo: Iterator[tuple[int, str]], following: int, ended: bool) -> bool:
        """Fill the workers' pipes, fewest first, no further ahead than the window; return whether the paths end."""
        while True:
            if len(self.workers) < self.count and (self.again or not ended):
                self.workers.append(self._start())
            worker = min(self.workers, key=lambda w: len(w.given), default=None)
            if worker is None or len(worker.given) >= _AHEAD:
                return ended
            if self.again:
                task = self.again.popleft()
            elif ended or self._furthest() - following >= _WINDOW * self.count:
                return ended
            else:
                found = next(todo, None)
                if found is None:
                    return True
                task = found
            if not worker.given:
                worker.since = time.monotonic()
            worker.given.append(task)
            try:
                worker.connection.send_bytes(task[1].encode("utf-8", "surrogateescape"))
            except OSError:  # it died; _collect finds out
                return ended

    def _furthest(self) -> int:
        return max([*self.results, *(t[0] for w in self.workers for t in w.given)], default=0)

    def _collect(self) -> None:
        busy = [self._deadline(w) for w in self.workers if w.given]
        patience = min(busy, default=time.monotonic() + self.timeout_s) - time.monotonic()
        ready = wait([w.connection for w in self.workers], max(0.0, patience))
        for worker in list(self.workers):
            if worker.connection in ready:
                self._receive(worker)
            elif worker.given and time.monotonic() > self._deadline(worker):
                self._fail(worker, "timeout", f"not finished after {self.timeout_s:g} s; this submission was given up")

    def _deadline(self, worker: _Worker) -> float:
        return worker.since + self.timeout_s + (0.0 if worker.ready else _START_S)

    def _receive(self, worker: _Worker) -> None:
        try:
            data = worker.connection.recv_bytes()
        except (EOFError, OSError):
            worker.process.join(5.0)
            code = worker.process.exitcode
            self._fail(
                worker, "worker-died", f"the process that read it ended (exit code {code}), out of memory perhaps"
            )
            return
        worker.since = time.monotonic()
        if not worker.ready:
            worker.ready = True
            return
        index, _ = worker.given.popleft()
        self.results[index] = json.loads(data)

    def _fail(self, worker: _Worker, code: str, message: str) -> None:
        """Give up the submission a worker was at, and hand the others it had to the next."""
        from sedcalc.report.verify_results import verify_failure_object

        self._end(worker)
        self.workers.remove(worker)
        if not worker.ready:
            raise EnvironmentFault(f"a worker process cannot be started: {message}")
        if worker.given:
            index, path = worker.given.popleft()
            found = verify_failure_object([Finding(code, "error", message, "(file)")])
            self.results[index] = _line(path, _sha256(path), True, found, self.options)
            self.again.extendleft(reversed(worker.given))

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        parent, child = context.Pipe()
        process = context.Process(target=_serve, args=(child, self.options, self.memory_bytes), daemon=True)
        process.start()
        child.close()
        return _Worker(process, parent, since=time.monotonic())

    @staticmethod
    def _end(worker: _Worker) -> None:
        worker.connection.close()
        worker.process.join(0.2)
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join()
