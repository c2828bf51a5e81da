"""The machine: Python, Java, and the room on its disks."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from drretail.data_ingest.engines.java import OLDEST_JAVA, find_java, java_version
from drretail.doctor.checkup import Sign

OLDEST_PYTHON = (3, 11)
NEEDED_BYTES = 2_000_000_000
"""A world of 80,000 products and four million orders takes 0.6 GB, and as much again while it is made."""


def examine_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Sign:
    said = ".".join(map(str, version))
    if version[:2] >= OLDEST_PYTHON:
        return Sign(what="Python", state="ok", found=f"{said} ({sys.executable})")
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Sign(
        what="Python",
        state="broken",
        found=said,
        prevents="everything",
        mend=f"install Python {oldest} or later and make the environment anew",
    )


def examine_java(environ: Mapping[str, str]) -> Sign:
    """The Java that Spark would start, and whether Spark can use it."""
    java = find_java(environ)
    version = 0 if java is None else java_version(java)
    if java is not None and version >= OLDEST_JAVA:
        return Sign(what="Java", state="ok", found=f"{version} ({java})")
    if java is None:
        found = "none"
    else:
        found = f"{version} ({java}), which is too old" if version else f"{java}, which does not start"
    return Sign(
        what="Java",
        state="absent",
        found=found,
        prevents="ingest --engine spark",
        mend=f"install a JDK of version {OLDEST_JAVA} or later, or set JAVA_HOME to one",
    )


def examine_room(folders: Iterable[str]) -> Iterator[Sign]:
    """The room of every disk that one of the folders lies on, each disk once."""
    seen: set[int] = set()
    for folder in folders:
        place = nearest_existing(Path(folder).absolute())
        disk = place.stat().st_dev
        if disk in seen:
            continue
        seen.add(disk)
        free = shutil.disk_usage(place).free
        enough = free >= NEEDED_BYTES
        yield Sign(
            what=f"disk of {folder}",
            state="ok" if enough else "broken",
            found=f"{free / 1e9:.1f} GB free",
            prevents=None if enough else "making a world of the paper's size",
            mend=None if enough else f"free {NEEDED_BYTES / 1e9:.0f} GB there, or name another folder (--world, --to)",
        )


def nearest_existing(path: Path) -> Path:
    """The folder itself, or the first above it that is there."""
    return next(place for place in (path, *path.parents) if place.exists())
