"""The Java that Spark would start."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

OLDEST_JAVA = 17
SECONDS = 20


def find_java(environ: Mapping[str, str] = os.environ) -> Path | None:
    """That of JAVA_HOME when it is set, else the first on the PATH."""
    home = environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin") if home else environ.get("PATH", ""))
    return Path(found) if found else None


def java_version(java: Path) -> int:
    """17 of "17.0.15", 8 of "1.8.0"; 0 where the program does not start or say."""
    try:
        said = subprocess.run(  # noqa: S603 -- the user's own java, as Spark starts it
            [java, "-version"], capture_output=True, text=True, timeout=SECONDS, check=False
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(match[1]) if match else 0
