"""Audit records: everything a ruling or verification rests on in one file, and its replay.

A record holds the submission itself, SHA-256 of all that was read, versions, methods, every number, the findings and
the overrides. It holds no time and no machine, so that the same submission gives the same bytes. A replay computes
anew from the submission in the record, and compares hashes exactly and numbers to 1e-9.
"""

import hashlib
import json
import math
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

import sedcalc
from sedcalc.compliance.overrides import RulingOverride
from sedcalc.compliance.ruling import Ruling, check_compliance
from sedcalc.compliance.verification import Verification, verify
from sedcalc.findings import Finding, InputError, count_of, input_error
from sedcalc.io.site_files import parse_json, read_bytes, read_site, refuse_link_out
from sedcalc.io.whole_files import write_whole
from sedcalc.load.calculation import sediment_load
from sedcalc.report.results import json_text, keep_site_files, run_object
from sedcalc.report.verify_results import override_entries, verify_object
from sedcalc.site.claims import Override
from sedcalc.site.parsing import parse_site
from sedcalc.site.submission import Site

RECORD_FORMAT: Final = "sedcalc.record/1"

RELATIVE: Final = 1e-9
"""Numbers of a replay agree within this, relative to the larger; across machines the last digits differ."""

_ABSOLUTE = 1e-12  # differences of nearly equal numbers, such as claimed less computed, are rounding only
_MOST_SHOWN = 50
_UNCHECKED = ("file-not-at-hand", "file-not-read", "no-file-on-record")
_VERSIONS = ("sedcalc", "numpy", "python")
_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether a record holds.

    Parameters
    ----------
    status
        ``reproduced``: hashes are equal and numbers agree; ``reproduced_except``: so far as could be checked, and the
        findings say what could not; ``differs``; ``cannot_be_determined``: the record is broken, or what it names is
        not there.
    findings
        What differs, and what could not be checked.
    compared
        Numbers that were compared.
    """

    status: Literal["reproduced", "reproduced_except", "differs", "cannot_be_determined"]
    findings: tuple[Finding, ...]
    compared: int

    @property
    def unchecked(self) -> tuple[Finding, ...]:
        """What could not be checked."""
        return tuple(f for f in self.findings if f.code in _UNCHECKED)


def record_object(result: Verification | Ruling) -> dict[str, Any]:
    """Return the audit record of a verification or a ruling, format ``sedcalc.record/1``.

    Parameters
    ----------
    result
        From `sedcalc.verify` or `sedcalc.check_compliance`.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts; ``sha256`` is that of the rest, as `record_sha256` computes it.
    """
    ruling = result.ruling if isinstance(result, Verification) else result
    load = ruling.load
    record: dict[str, Any] = {
        "format": RECORD_FORMAT,
        "kind": "verify" if isinstance(result, Verification) else "run",
        "versions": {"sedcalc": sedcalc.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "inputs": {
            "site_sha256": load.site.content_sha256(),
            "files": load.provenance["files"],
            "ordinance": {"id": ruling.ordinance.id, "name": load.site.ordinance, "sha256": ruling.ordinance.sha256},
        },
        "tables": load.provenance["tables"],
        "methods": load.provenance["methods"],
        "site": json.loads(load.site.model_dump_json(exclude_defaults=True)),
        "reading": [f.as_dict() for f in load.site.reading],
        "tolerance_pct": result.tolerance_pct if isinstance(result, Verification) else None,
        "overrides": [_plain(o) for o in override_entries(ruling)],
        "run": run_object(ruling),
        "verification": verify_object(result) if isinstance(result, Verification) else None,
    }
    return {**record, "sha256": record_sha256(record)}


def replay_object(result: Replay) -> dict[str, Any]:
    """Return the JSON object of a replay, format ``sedcalc.replay/1``.

    Parameters
    ----------
    result
        From `replay`.
    """
    return {
        "format": "sedcalc.replay/1",
        "status": result.status,
        "compared": result.compared,
        "findings": [f.as_dict() for f in result.findings],
    }


def record_sha256(record: dict[str, Any]) -> str:
    """Return the SHA-256 of a record without its own ``sha256``: of its JSON with sorted keys and no spaces.

    Parameters
    ----------
    record
        The record.
    """
    rest = {k: v for k, v in record.items() if k != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write_record(result: Verification | Ruling, path: Path) -> None:
    """Write the audit record of a verification or a ruling; it appears complete or not at all.

    Parameters
    ----------
    result
        As for `record_object`.
    path
        File to write; replaced where it exists.

    Raises
    ------
    InputError
        If the file is one that the site was read from.
    EnvironmentFault
        If it cannot be written.
    """
    keep_site_files(result.ruling if isinstance(result, Verification) else result, [path])
    write_whole(path, json_text(record_object(result)).encode(), "record")


def replay(record: str | Path, folder: Path | None = None) -> Replay:
    """Compute a record anew and compare.

    Parameters
    ----------
    record
        Path of the record.
    folder
        Folder of the files that the submission names (rasters, polygons, an ordinance of its own); the record's by
        default.

    Returns
    -------
    Replay
        ``reproduced`` where every hash is equal and every number agrees to 1e-9, and ``reproduced_except`` where the
        submission's own file is not at hand to be compared.

    Raises
    ------
    InputError
        If the file is no record.

    Notes
    -----
    Versions may differ: that is noted, and the numbers decide. The site file itself is compared where it lies in
    `folder`, its hash and what it says; the calculation always uses the submission as the record holds it. A record is
    not signed: whoever can rewrite all of it can make another that is whole. Keep its ``sha256`` in a second place.

    Examples
    --------
    A record of the shipped submission, computed anew:

    >>> import tempfile
    >>> import sedcalc as sc
    >>> submission = sc.example("hales_corners_submission.toml")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = Path(folder) / "record.json"
    ...     write_record(sc.verify(submission), record)
    ...     sc.replay(record, submission.parent).status
    'reproduced'
    """
    path = Path(record)
    content = _read(path)
    folder = folder or path.resolve().parent
    found: list[Finding] = []
    if content.get("sha256") != record_sha256(content):
        message = "the record was changed after it was written: its own SHA-256 does not fit its content"
        found.append(Finding("record-changed", "warning", message, "sha256"))
    site, mistakes = parse_site(content.get("site"))
    if site is None or mistakes:
        return Replay("cannot_be_determined", (*found, *mistakes), 0)
    site = site.read_from(folder / path.name, b"").with_reading(_reading(content))
    for name, value in content["versions"].items():
        now = {"sedcalc": sedcalc.__version__, "numpy": np.__version__, "python": platform.python_version()}.get(name)
        if now != value:
            message = f"the record is of version {value}, this is {now}; the numbers decide"
            found.append(Finding("other-version", "note", message, f"versions.{name}"))
    try:
        result = _computed(site, content)
    except InputError as error:
        return Replay("cannot_be_determined", (*found, *error.findings), 0)
    again = record_object(result)
    found += _file_findings(content, again, folder, site)
    different: list[Finding] = []
    compared = _compare(_stable(content), _stable(again), "", different)
    if len(different) > _MOST_SHOWN:
        more = Finding(
            "more-differences",
            "warning",
            count_of(len(different) - _MOST_SHOWN, "more value differs", "more values differ"),
            "run",
        )
        different = [*different[:_MOST_SHOWN], more]
    found += different
    status: Literal["reproduced", "reproduced_except", "differs"] = "reproduced"
    if any(f.severity != "note" and f.code not in _UNCHECKED for f in found):
        status = "differs"
    elif any(f.code in _UNCHECKED for f in found):
        status = "reproduced_except"
    return Replay(status, tuple(found), compared)


def _plain(entry: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(entry)


def _read(path: Path) -> dict[str, Any]:
    data = read_bytes(path, "record_bytes")
    try:
        content = parse_json(data.decode("utf-8"), path.name)
        json.dumps(content, allow_nan=False)
    except ValueError as error:
        raise input_error(
            "not-a-record",
            f"not a record of numbers and texts ({error}); name a file that `sedcalc verify --record` wrote",
            str(path),
        ) from None
    needed = ("versions", "inputs", "tables", "site", "run")
    if not isinstance(content, dict) or content.get("format") != RECORD_FORMAT:
        raise input_error(
            "not-a-record",
            f'not an audit record: its format is not "{RECORD_FORMAT}"; name a file of `sedcalc verify --record`',
            str(path),
        )
    missing = [n for n in needed if not isinstance(content.get(n), dict)]
    if not missing:
        missing = [f"versions.{n}" for n in _VERSIONS if not isinstance(content["versions"].get(n), str)]
        missing += [] if isinstance(content["inputs"].get("files"), dict) else ["inputs.files"]
    if missing or content.get("kind") not in ("run", "verify"):
        said = ", ".join(missing) or "kind"
        raise input_error("not-a-record", f"the record lacks {said}; name one as it was written", str(path))
    return content


def _computed(site: Site, content: dict[str, Any]) -> Verification | Ruling:
    overrides = _overrides(content)
    if content["kind"] == "run":
        return check_compliance(sediment_load(site), overrides=overrides)
    tolerance = content.get("tolerance_pct")
    valid = tolerance is None or (isinstance(tolerance, int | float) and not isinstance(tolerance, bool))
    if not valid:
        raise input_error(
            "not-a-record", f"{tolerance!r} is no tolerance; name a record as it was written", "tolerance_pct"
        )
    return verify(site, tolerance_pct=tolerance, overrides=overrides)


def _reading(content: dict[str, Any]) -> list[Finding]:
    """Return what had to be assumed to read the submission: taken over, as its file is not read anew."""
    recorded = content.get("reading", [])
    if not isinstance(recorded, list):
        raise input_error("not-a-record", "reading is no list of findings", "reading")
    found = []
    for i, entry in enumerate(recorded):
        texts = entry if isinstance(entry, dict) else {}
        own = [texts.get(n) for n in ("code", "severity", "message", "where", "clause")]
        whole = all(isinstance(t, str) for t in own[:3]) and all(t is None or isinstance(t, str) for t in own[3:])
        if not whole or own[1] not in ("warning", "note"):
            raise input_error("not-a-record", "what was assumed in reading is no warning or note", f"reading[{i}]")
        found.append(Finding(*own))  # type: ignore[arg-type]
    return found


def _overrides(content: dict[str, Any]) -> list[Override]:
    """Return the reviewer's overrides on record: the ruling is computed anew with them."""
    recorded = content.get("overrides")
    if not isinstance(recorded, list) or not all(isinstance(o, dict) for o in recorded):
        raise input_error("not-a-record", "overrides is no list of decisions; name a record as written", "overrides")
    found: list[Override] = []
    for i, entry in enumerate(recorded):
        if entry.get("stated_by") == "applicant":
            continue
        own = {k: v for k, v in entry.items() if k != "stated_by" and (k != "kind" or v is not None)}
        try:
            found.append((RulingOverride if "kind" in own else Override).model_validate(own))
        except ValueError as error:
            said = f"an override on record is not whole: {error}; name a record as it was written"
            raise input_error("not-a-record", said, f"overrides[{i}]") from None
    return found


def _file_findings(content: dict[str, Any], again: dict[str, Any], folder: Path, site: Site) -> list[Finding]:
    """Compare the files on record that the calculation did not read anew: the site file itself."""
    found = []
    own = {n: sha for n, sha in content["inputs"]["files"].items() if n not in again["inputs"]["files"]}
    if not own:
        message = "the record names no site file, so that its submission cannot be compared with one"
        found.append(Finding("no-file-on-record", "warning", message, "inputs.files"))
    for name, sha256 in own.items():
        path = folder / str(name)
        where = f"inputs.files.{name}"
        if Path(str(name)).name != name or not path.is_file():
            message = f"{name} is not in {folder.name or folder}; the submission in the record was used instead"
            found.append(Finding("file-not-at-hand", "warning", message, where))
        elif (now := hashlib.sha256(read_bytes(path)).hexdigest()) != sha256:
            message = f"{name} has SHA-256 {now}, the record {sha256}: the file was changed"
            found.append(Finding("file-changed", "warning", message, where))
        else:
            found += _content_findings(path, site, where)
    return found


def _content_findings(path: Path, site: Site, where: str) -> list[Finding]:
    """Compare what a site file says with the submission on record."""
    try:
        refuse_link_out(path)
        stated = read_site(path, ordinance=site.ordinance, county=site.location.county)
    except InputError as error:
        message = f"{path.name} cannot be read as the submission on record: {error.findings[0]}"
        return [Finding("file-not-read", "warning", message, where)]
    found = []
    if stated.content_sha256() != site.content_sha256():
        message = f"{path.name} is unchanged, and the submission on record is another"
        found.append(Finding("site-differs", "warning", message, where))
    if stated.reading != site.reading:
        message = f"what {path.name} leaves to be assumed is not what the record says"
        found.append(Finding("reading-differs", "warning", message, "reading"))
    return found


def _stable(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a replay must reproduce: all but versions, its own hash, and the site file's name and hash."""
    kept = {k: v for k, v in record.items() if k not in ("sha256", "versions")}
    own = record["site"].get("grid") is None
    files = {} if own else _grid_files(record["inputs"].get("files", {}))
    kept["inputs"] = {**record["inputs"], "files": files}
    for part in ("run", "verification"):
        if isinstance(record.get(part), dict):
            provenance = record[part].get("provenance", {})
            kept[part] = {**record[part], "provenance": {**provenance, "files": files, "version": None}}
            kept[part].pop("overrides", None)  # they stand in the record itself
    return kept


def _grid_files(files: Any) -> dict[str, Any]:
    ending = (".toml", ".json", ".xlsx")
    return {k: v for k, v in files.items() if not str(k).lower().endswith(ending)} if isinstance(files, dict) else {}


def _compare(recorded: Any, computed: Any, where: str, different: list[Finding]) -> int:
    """Compare two values at all depths; return how many numbers were compared."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for key in [*recorded, *computed]:
            if (key in recorded) != (key in computed):
                said = "is only in the record" if key in recorded else "is not in the record"
                different.append(Finding("record-differs", "warning", said, f"{where}.{key}".lstrip(".")))
        shared = [k for k in recorded if k in computed]
        return sum(_compare(recorded[k], computed[k], f"{where}.{k}".lstrip("."), different) for k in shared)
    if isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        pairs = zip(recorded, computed, strict=True)
        return sum(_compare(a, b, f"{where}[{i}]", different) for i, (a, b) in enumerate(pairs))
    number = isinstance(computed, int | float) and not isinstance(computed, bool)
    if number and isinstance(recorded, int | float) and not isinstance(recorded, bool):
        beyond = abs(recorded) > _LARGEST  # an integer that no float holds
        if beyond or not math.isclose(recorded, computed, rel_tol=RELATIVE, abs_tol=_ABSOLUTE):
            message = f"the record has {_short(recorded)}, the replay {computed!r}"
            different.append(Finding("number-differs", "warning", message, where))
        return 1
    if type(recorded) is not type(computed) or recorded != computed:
        kind = "hash-differs" if "sha256" in where or where.startswith("tables") else "record-differs"
        message = f"the record has {_short(recorded)}, the replay {_short(computed)}"
        different.append(Finding(kind, "warning", message, where))
    return 0


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 120 else text[:117] + "..."
