"""A world's folder: complete generations side by side, one of them live.

The checksums of a generation's files are in the format of ``sha256sum -c``, and reveal a single flipped bit.
"""

import hashlib
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from drretail.env.manifest import DATABASE_FILE, INDEX_FOLDER
from drretail.errors import UserError
from drretail.files import is_unfinished, part_folder, sync_folder, sync_tree, write_atomically, write_lines
from drretail.locks import LOCK, locked_folder
from drretail.records.evidence import Finding

CURRENT = "CURRENT"
STAGING = "staging"
GENERATION = "gen-"
STAGES = ".stages"
"""The folder in which an ingest keeps its finished stages until the world is complete."""
CHECKSUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
TRANSIENT = (".lock", f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm")
"""Files that readers create and remove."""


def live_generation(folder: Path) -> Path:
    """The generation that CURRENT names. Raises UserError if there is no world, or only a damaged one."""
    if not folder.is_dir():
        raise UserError(
            f"There is no world at {folder}. Make one with `drretail ingest … --world {folder}`, or use `--world demo`."
        )
    try:
        name = (folder / CURRENT).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise UserError(
            f"{folder} is not a world: it holds no file {CURRENT}. Make one with `drretail ingest … --world {folder}`."
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{folder / CURRENT} cannot be read: {problem}. Run `drretail ingest` again.") from problem
    generation = folder / name
    if not name.startswith(GENERATION) or generation.parent != folder or not generation.is_dir():
        raise UserError(f"The world at {folder} is damaged: {CURRENT} names {name!r}, which is missing. Make it anew.")
    return generation


@contextmanager
def staged(folder: Path, *, is_locked: bool = False) -> Generator[Path]:
    """An empty folder beside the generations, removed after the ``with`` block unless it was published.

    There is one writer at a time, who may hold ``writer_lock`` already. The leftovers of an interrupted writer are
    removed first.
    """
    with nullcontext() if is_locked else writer_lock(folder), part_folder(folder / STAGING) as room:
        staging = room / STAGING
        staging.mkdir()
        yield staging


def publish(folder: Path, staging: Path, name: str) -> None:
    """Makes the staged generation live under ``name``, and keeps the one before it.

    An existing generation of that name is replaced.
    """
    before = current_name(folder)
    sync_tree(staging)
    generation = folder / name
    if generation.exists():
        # Not atomic; only a damaged generation is replaced, and the next write repairs a crash here.
        generation.rename(staging.with_name(f"{staging.name}-replaced"))
    staging.rename(generation)
    sync_folder(folder)
    make_live(folder, name)
    latest = {name, before}
    for entry in folder.iterdir():
        if entry.name.startswith(GENERATION) and entry.name not in latest:
            shutil.rmtree(entry)


def make_live(folder: Path, name: str) -> None:
    write_atomically(folder / CURRENT, f"{name}\n")


def current_name(folder: Path) -> str:
    """The content of CURRENT, empty if there is no such file."""
    path = folder / CURRENT
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def former_generation(folder: Path) -> Path | None:
    """The generation that is kept beside the live one; None if there is none."""
    live = current_name(folder)
    others = [entry for entry in folder.iterdir() if entry.name.startswith(GENERATION) and entry.name != live]
    return max(others, key=lambda entry: entry.stat().st_mtime_ns, default=None)


def check_is_ours(folder: Path) -> None:
    """Raises UserError if ``folder`` exists and is neither a world, nor empty, nor the leftover of an interrupted first
    write.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UserError(f"{folder} is a file; give the world a folder of its own.")
    names = [entry.name for entry in folder.iterdir() if not is_unfinished(entry)]
    if CURRENT not in names and not all(name.startswith((LOCK, STAGES, GENERATION)) for name in names):
        raise UserError(f"{folder} holds other files and is not a world; give the world a folder of its own.")


@contextmanager
def writer_lock(folder: Path) -> Generator[None]:
    """The right to write a world's folder. The folder is created if it is missing, and removed again if it stays empty.

    Raises UserError if the folder holds other files, or if another process is writing it.
    """
    check_is_ours(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked_folder(folder, f"the world at {folder}"):
            yield
    finally:
        with suppress(OSError):  # the folder is not empty
            folder.rmdir()


def write_checksums(generation: Path) -> None:
    """Writes the present checksums of all files of a generation."""
    names = sorted(path.relative_to(generation).as_posix() for path in generation.rglob("*") if path.is_file())
    lasting = [name for name in names if name != CHECKSUMS and not name.endswith(TRANSIENT)]
    write_lines(generation / CHECKSUMS, (f"{_sha256(generation / name)}  {name}" for name in lasting))


def changed_files(generation: Path, below: str = "") -> Iterator[Finding]:
    """The files that were changed or are gone; with ``below``, only those in that folder.

    A generation without checksums gives none: it was made before worlds had them. Profile updates change the database;
    the caller has to allow for that.
    """
    path = generation / CHECKSUMS
    if not path.is_file():
        return
    *lines, end = path.read_bytes().decode("utf-8", "replace").split("\n")
    known = [_LINE.fullmatch(line) for line in lines]
    if end or not all(known):
        yield Finding(code="file_changed", severity="error", text=CHECKSUMS, found="it is no list of checksums")
    for match in (match for match in known if match and match[2].startswith(below)):
        file = generation / match[2]
        if not file.is_file():
            yield Finding(code="file_missing", severity="error", text=match[2])
        elif (digest := _sha256(file)) != match[1]:
            yield Finding(code="file_changed", severity="error", text=f"{match[2]}: {match[1]}", found=digest)


def check_index_files(generation: Path) -> None:
    """Raises UserError if a file of the product index was changed.

    A search engine trusts its files: after changes of single bytes it returned other products without a word, or ended
    the whole process. Reading them takes 0.6 s per GB, and searches read them anyway.
    """
    for finding in changed_files(generation, f"{INDEX_FOLDER}/"):
        raise UserError(
            f"The product index of {generation} is damaged ({finding.text.partition(':')[0]}): `drretail world check` "
            "says more; make the world anew."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
