"""Names of files in a site: relative, below the site's folder, and the same file on every system."""

import re
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

# Devices of Windows, whatever their ending.
_NO_NAMES: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_MOST_BYTES: Final = 255  # of one step of a path, on every common file system


def refused_name(name: str) -> tuple[str, str] | None:
    r"""Return the code of the finding and why a site may not name this file; None where it may.

    Only the text is judged. Whether the file lies in the site's folder once links are followed is checked where it is
    opened.

    Parameters
    ----------
    name
        As the site file has it.

    Examples
    --------
    >>> refused_name("rasters/dem.tif")
    >>> refused_name("C:\\dem.tif")[0], refused_name("../dem.tif")[0], refused_name("http://a/dem.tif")[0]
    ('path-absolute', 'path-outside', 'path-refused')
    """
    windows = PureWindowsPath(name)
    if "://" in name or name.lower().startswith("/vsi"):
        return "path-refused", "names no file on this machine; give a file in the folder of the site"
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        return "path-absolute", "is an absolute path; name a file in the folder of the site"
    odd = next((c for c in name if c in '\\:!*?"<>|' or not c.isprintable()), None)
    if odd is not None:
        return "path-refused", f"has {odd!r} in it; write / between folders, and rename the file"
    level = 0
    for step in name.split("/"):
        level += -1 if step == ".." else 1 if step not in ("", ".") else 0
        if level < 0:
            return "path-outside", "lies outside the folder of the site; move it there"
        if len(step.encode()) > _MOST_BYTES or _NO_NAMES.fullmatch(step.strip(" ")):
            return "path-refused", "is not a name that every system can give a file; rename it"
    if "/vsi" in f"/{name}".lower():
        return "path-refused", "has /vsi in it; rename the folder"
    return None
