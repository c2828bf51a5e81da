"""A world's description of itself, with its fingerprint, and the folder that holds it: complete generations, one of
them live, and the checksums of their files.

The checksums of a generation's files are in the format of ``sha256sum -c``, and reveal a single flipped bit.
"""

import hashlib
import re
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from pydantic import Field, ValidationError

from drretail.env.catalog.base import Analyzer, Language
from drretail.env.catalog.formulation import ENGLISH, Formulation, formulation_of_index
from drretail.env.users import ProfilePool
from drretail.errors import UserError, file_error
from drretail.files import (
    LOCK,
    is_unfinished,
    locked_folder,
    part_folder,
    read_json,
    sync_tree,
    write_atomically,
    write_lines,
)
from drretail.records.base import FORMAT, Document, Record, fault_of, lean, normalised, record_json, sha256_of
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.shop import Order, Product

MANIFEST_FILE = "manifest.json"
DATABASE_FILE = "shop.sqlite"
INDEX_FOLDER = "index"
INDEX_VERSION = "index"
"""The key of the index formulation in ``versions``."""
NOW_WITHOUT_ORDERS = datetime(2023, 10, 1, tzinfo=UTC)


OrderValues = tuple[str, str, str, int, int, str, int]
"""The fields of an OrderRow. Millions of orders pass, and Python unpacks tuples of no other class faster."""


class OrderRow(NamedTuple):
    """An order on its way into a world. A tuple and not a record, since millions of orders pass."""

    order_id: str
    user_id: str
    product_id: str
    timestamp: int
    """Milliseconds UTC."""
    quantity: int = 1
    order_status: str = "Delivered"
    utc_offset: int = 0
    """Minutes that the shop's clock was ahead of UTC when it wrote the time."""

    @property
    def place(self) -> tuple[str, int, str]:
        """The order's position among all: by user, time, id."""
        return self.user_id, self.timestamp, self.order_id

    def as_order(self) -> Order:
        """The validated record."""
        return lean(Order.model_validate(self._asdict()))


class CategoryCounts(Record):
    """The rows of one category's files: read, kept and dropped."""

    name: str
    products: int
    users: int
    orders: int
    rows_read: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    """Reason → number of rows."""


class SourceFile(Record):
    """One raw file that a world was made from."""

    name: str
    size: int
    sha256: str
    modified: int | None = None
    """Nanoseconds since 1970; with it the same file is recognised without being read."""


class Counts(Record):
    products: int
    users: int
    orders: int


class Origin(TypedDict, total=False):
    """The origin of a world's rows, as its manifest states it."""

    since: date | None
    """Orders before this day were left out."""
    parameters: Mapping[str, Any] | None
    categories: Iterable[CategoryCounts]
    sources: Iterable[SourceFile]
    versions: Mapping[str, str] | None
    """The versions of the programs that made the rows."""


# The keys of engines' versions; a copy of the world elsewhere has others.
KEEPERS = frozenset({"tantivy", "mongodb", "elasticsearch"})


class Manifest(Document):
    """manifest.json of a world."""

    fingerprint: str
    seed: str
    now: datetime
    """The shop's today: midnight UTC after the last order."""
    since: date | None = None
    """Orders before this day were left out."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    categories: tuple[CategoryCounts, ...] = ()
    counts: Counts
    priced: int | None = None
    """The number of products with a price; None in worlds of earlier versions."""
    sources: tuple[SourceFile, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)
    """The versions of drretail and its engines, and the index formulation."""
    profile_pool: str
    """The hash of the pool that profiles are derived from."""
    analyzer: Analyzer
    """The analyzer of product searches."""

    @property
    def is_own_shop(self) -> bool:
        """True for a shop read by a mapping of its columns. Its orders may be of products that it has no more."""
        return "mapping" in self.parameters

    @property
    def language(self) -> Language:
        """The language of the shop's texts according to the analyzer; English if the analyzer names none."""
        return "english" if self.analyzer == "standard" else self.analyzer

    @property
    def origin(self) -> Origin:
        """The origin for a copy of the rows."""
        return Origin(
            since=self.since,
            parameters=self.parameters,
            categories=self.categories,
            sources=self.sources,
            versions={name: version for name, version in self.versions.items() if name not in KEEPERS},
        )

    def rows(self, pool: ProfilePool, products: Iterable[Product], orders: Iterable[OrderValues]) -> "WorldRows":
        """These rows of this world, for a copy. Raises UserError if this version cannot make its index."""
        formulation = formulation_of_index(self.versions.get(INDEX_VERSION, ""), "The world")
        return WorldRows(
            products,
            orders,
            seed=self.seed,
            pool=pool,
            formulation=formulation,
            origin=self.origin,
            expected=self.fingerprint,
        )

    @property
    def headline(self) -> str:
        """The shop's size, in one line."""
        return headline(self.counts, self.priced)

    @property
    def generation(self) -> str:
        """The name of the folder that holds a world with this fingerprint."""
        return f"gen-{self.fingerprint[:12]}"


def headline(counts: Counts, priced: int | None) -> str:
    """ "400 products, 96 users, 5,210 orders; with a price: 371 of 400"."""
    line = ", ".join(
        (counted(counts.products, "product"), counted(counts.users, "user"), counted(counts.orders, "order"))
    )
    return line if priced is None else f"{line}; with a price: {priced:,} of {counts.products:,}"


class LineHash:
    """sha256 over lines that come one at a time; it hashes in batches, so that millions of lines are cheap."""

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._waiting: list[str] = []

    def add(self, line: str) -> None:
        self._waiting.append(line)
        if len(self._waiting) >= 1000:
            self._flush()

    def add_all(self, lines: Iterable[str]) -> None:
        """Adds each line."""
        self._waiting.extend(lines)
        if self._waiting:
            self._flush()

    def hexdigest(self) -> str:
        self._flush()
        return self._sha.hexdigest()

    def _flush(self) -> None:
        self._waiting.append("")
        self._sha.update("\n".join(self._waiting).encode("utf-8"))
        self._waiting.clear()


def product_line(product: Product) -> str:
    """The canonical JSON of a product, which the fingerprint hashes and the store keeps."""
    # Not pydantic's dump, which takes as long as all the rest.
    values = {
        name: value for name, value in vars(product).items() if value is not None or name not in ("page", "image")
    }
    for name in ("price", "average_rating"):
        values[name] = normalised(values[name])  # else record_json takes its slow way, for every other product
    return record_json(values)


def order_line(row: OrderValues) -> str:
    """The fields of an order between tabs, which the fingerprint hashes."""
    # By index: millions of orders pass, and a join would take twice as long.
    line = f"{row[0]}\t{row[1]}\t{row[2]}\t{row[3]}\t{row[4]}\t{row[5]}"
    return f"{line}\t{row[6]}" if row[6] else line


def world_fingerprint(*, products: str, orders: str, seed: str, pool: str, formulation: str) -> str:
    """sha256 over everything that decides what an agent can see; ``products`` and ``orders`` are line hashes."""
    parts = {
        "format": FORMAT,
        "products": products,
        "orders": orders,
        "seed": seed,
        "profile_pool": pool,
        "index": formulation,
    }
    return sha256_of(parts)


def read_manifest(generation: Path) -> Manifest:
    """The manifest in a generation's folder. Raises UserError if it is missing, damaged or of another format."""
    path = generation / MANIFEST_FILE
    value = read_json(path)
    try:
        return Manifest.model_validate(value)
    except ValidationError as problem:
        raise UserError(f"{path} is damaged ({fault_of(problem)}). Make the world anew.") from problem


@dataclass(frozen=True, slots=True)
class WorldRows:
    """Everything that a world is made from. Each stream can be read once, products first."""

    products: Iterable[Product]
    """In order of id."""
    orders: Iterable[OrderValues]
    """In order of user id, time and order id."""
    _: KW_ONLY
    seed: int | str
    pool: ProfilePool
    formulation: Formulation = ENGLISH
    origin: Origin = field(default_factory=Origin)
    expected: str = ""
    """The fingerprint of the world that the rows are read from: no other may come of them."""


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
        raise UserError(
            f"{file_error(problem, folder / CURRENT)}. If it is damaged, run `drretail ingest` again."
        ) from problem
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
    """Raises UserError if ``folder`` exists and is no world, not empty, and no leftover of an interrupted write."""
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
    names = _lasting_files(generation)
    write_lines(generation / CHECKSUMS, (f"{_sha256(generation / name)}  {name}" for name in names))


def _lasting_files(generation: Path) -> list[str]:
    names = sorted(path.relative_to(generation).as_posix() for path in generation.rglob("*") if path.is_file())
    return [name for name in names if name != CHECKSUMS and not name.endswith(TRANSIENT)]


def changed_files(generation: Path, below: str = "") -> Iterator[Finding]:
    """The files that were changed, are gone or have no checksum; with ``below``, only those in that folder.

    A generation without checksums gives none: it was made before worlds had them. Profile updates change the database;
    the caller has to allow for that.
    """
    path = generation / CHECKSUMS
    if not path.is_file():
        return
    *lines, end = path.read_bytes().decode("utf-8", "replace").split("\n")
    matches = [_LINE.fullmatch(line) for line in lines]
    if end or not all(matches):
        yield Finding(code="file_changed", severity="error", text=CHECKSUMS, found="it is no list of checksums")
    for match in (match for match in matches if match and match[2].startswith(below)):
        file = generation / match[2]
        if not file.is_file():
            yield Finding(code="file_missing", severity="error", text=match[2])
        elif (digest := _sha256(file)) != match[1]:
            yield Finding(code="file_changed", severity="error", text=f"{match[2]}: {match[1]}", found=digest)
    listed = {match[2] for match in matches if match}
    for name in _lasting_files(generation):
        if name not in listed and name.startswith(below):
            yield Finding(code="file_unlisted", severity="error", text=name, found=f"{CHECKSUMS} does not list it")


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
