"""A release: a new world and new queries, and a commitment to both before anybody sees them.

release.json   public from the start; its sums bind seed, queries, gold and the end of the window
sealed/        kept by the organiser, who alone can read it: seed.txt, queries.jsonl and its gold, gold.jsonl, world/
submissions/   one folder per contestant
"""

import hashlib
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from drretail import __version__
from drretail.addons.difficulty.derived import hide, spoil
from drretail.addons.difficulty.measure import Dial, generate_at, with_levels
from drretail.api.worlds import check_askable
from drretail.data_ingest.demo import DEMO, Shop, build_shop
from drretail.env.copying import copy_world
from drretail.env.manifest import TRANSIENT
from drretail.env.offers import Offers
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.files import made_whole, read_json, write_atomically, write_json, write_lines
from drretail.grounding.gold_files import as_task, write_with_gold
from drretail.progress import Progress
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, canonical_json, sha256_of
from drretail.records.query import Query

LEVELS = range(3, 9)
"""The difficulties of generated queries. Easier ones no longer tell systems apart, and few shops have harder ones."""
TWINS = ("too_dear", "not_sold")
SEALED = ("seed.txt", "queries.jsonl", "queries.gold.jsonl", "gold.jsonl")
"""The files that a release's sums bind, and world/ by its fingerprint; no queries.gold.jsonl if nothing is decided."""


class Release(Document):
    """release.json."""

    name: str
    world_fingerprint: str
    queries: int
    commitment: dict[str, str]
    """For each file of ``SEALED``, the sha256 of the seed, a zero byte and the file; only the seed opens it. Under
    "closes" the sha256 of the seed, a zero byte and the end of the window as written in release.json.
    """
    closes: datetime
    """The gold is sealed until then; a later submission is marked late."""
    levels: dict[int, int] = Field(default_factory=dict[int, int])
    """How many queries each level of difficulty has. Queries without a measured level are not counted."""
    drretail: str
    """The version by which submissions are verified, graded and ranked."""


def check_version(release: Release) -> None:
    """Raises UserError for another version than the release's, which may grade otherwise."""
    if release.drretail != __version__:
        raise UserError(
            f"{release.name} is ranked by drretail {release.drretail}, and this is {__version__}: "
            f"uvx drretail@{release.drretail} bench …"
        )


def make(
    to: Path,
    *,
    closes: datetime,
    progress: Progress,
    world: Path | None = None,
    queries: Path | None = None,
    n: int = 120,
    seed: str | None = None,
) -> Release:
    """Makes a release in the new folder ``to``, of ``world`` and ``queries`` or of ones generated from the seed.

    Generated queries are of ``LEVELS``, as evenly as the shop allows. A third are one of a pair of twins, of which the
    shop can meet only one. The others hide a limit if they have one worth hiding. Raises UserError for a folder that is
    not empty, a window that is over, a seed that would be published, a query without a typed wish, and if no query can
    be generated.
    """
    closes = (closes if closes.tzinfo else closes.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    if closes <= datetime.now(UTC):
        raise UserError(f"The window closed on {closes:%Y-%m-%d %H:%M %Z}: name a later --closes.")
    seed = seed or secrets.token_hex(16)
    with made_whole(to) as made:
        sealed = made / "sealed"
        if world is None:
            # The shop's seed is published in its manifest, so it is a hash: the sealed seed does not follow from it.
            options = DEMO.options.model_copy(update={"seed": sha256_of(f"{seed} world")})
            build_shop(sealed, progress, Shop(800, 12_000, options))
            shutil.rmtree(sealed / "raw")
        else:
            copy_world(str(world), str(sealed / "world"), progress=progress)
        with open_world(sealed / "world") as shop:
            chosen = list(read_queries(queries)) if queries is not None else _made_up(shop, n, seed)
            release = _seal(sealed, shop, chosen, to.name, seed, closes)
        write_json(made / "release.json", release.model_dump(mode="json"))
        if _telling(seed, (made / "release.json", *(sealed / "world").rglob("*")), _published(sealed)):
            raise UserError("The seed stands in what will be published: leave --seed out, and a long one is drawn.")
        sealed.chmod(0o700)
    return release


def _seal(sealed: Path, shop: World, chosen: Sequence[Query], name: str, seed: str, closes: datetime) -> Release:
    """Writes the files that a release's sums bind."""
    check_askable(shop, chosen)
    if untyped := [query.query_id for query in chosen if query.wish is None or not query.wish.wants]:
        raise UserError(f"Nobody has typed what {untyped[0]} wants: a release needs a wish in every query.")
    # Ids are hashes: they show neither a query's purpose nor its place.
    ids = sorted((f"q-{sha256_of([seed, query.query_id])[:10]}", place) for place, query in enumerate(chosen))
    chosen = [chosen[place].model_copy(update={"query_id": key, "source": name}) for key, place in ids]
    write_atomically(sealed / "seed.txt", seed)
    write_with_gold(chosen, sealed / "queries.jsonl")
    write_lines(sealed / "gold.jsonl", (reference.as_line() for reference in map(Offers(shop).reference, chosen)))
    return Release(
        name=name,
        world_fingerprint=shop.manifest.fingerprint,
        queries=len(chosen),
        commitment=sums(sealed, closes),
        closes=closes,
        levels=dict(sorted(Counter(query.level for query in chosen if query.level is not None).items())),
        drretail=__version__,
    )


def _made_up(world: World, n: int, seed: str) -> list[Query]:
    """Rule-written queries, each of a different user."""
    dial = Dial(Offers(world))

    def leveled(queries: Sequence[Query]) -> list[Query]:
        made = with_levels(queries, map(dial.difficulty, queries))
        return made if all(query.level in LEVELS for query in made) else []

    made: list[Query] = []
    for place, query in enumerate(generate_at(world, LEVELS, n, seed=seed).queries):
        if place % 3:
            # Few queries have a limit worth hiding, one without which the best cart differs (docs/queries.md).
            made += leveled(hide([query], dial.offers).queries) or [query]
        else:
            # Only one of each pair: the difference between the two shows which one the shop can't meet.
            pair = leveled(spoil([query], dial.offers, TWINS[:: -1 if place % 2 else 1], seed).queries)
            made += sorted(pair, key=lambda twin: sha256_of([seed, twin.query_id]))[:1]
    return made


def sums(folder: Path, closes: datetime) -> dict[str, str]:
    """The sums that a release promises: of the sealed files in a folder, and of the end of its window."""
    promised = {name: (folder / name).read_bytes() for name in SEALED if (folder / name).exists()}
    promised["closes"] = f"{closes:%Y-%m-%dT%H:%M:%SZ}".encode()
    return {
        name: hashlib.sha256(promised["seed.txt"] + b"\0" + content).hexdigest() for name, content in promised.items()
    }


def read_release(folder: Path) -> Release:
    """The release in a folder. Raises UserError if there is none, or if its files or window are not as promised."""
    if not (folder / "release.json").is_file():
        raise UserError(f"{folder} is no release: it has no release.json (drretail bench make makes one).")
    release = Release.model_validate(read_json(folder / "release.json"))
    sealed = folder / "sealed" if (folder / "sealed").is_dir() else folder
    if (sealed / "seed.txt").exists() and sums(sealed, release.closes) != release.commitment:
        raise UserError(f"{sealed} is not what {folder / 'release.json'} promises: restore it, or make a new release.")
    return release


def tasks_of(queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries as contestants see them: their tasks, without whether something is hidden."""
    return tuple(query.task.model_copy(update={"manner": None, "questions": None}) for query in queries)


def _published(sealed: Path) -> list[str]:
    """The lines of tasks.jsonl."""
    return [canonical_json(as_task(task)) for task in tasks_of(read_queries(sealed / "queries.jsonl"))]


def _telling(seed: str, files: Iterable[Path], tasks: Iterable[str]) -> Path | str | None:
    """What contains the seed; None if nothing does."""
    found = next((path for path in files if path.is_file() and seed.encode() in path.read_bytes()), None)
    return found or ("tasks.jsonl" if any(seed in line for line in tasks) else None)


def publish(
    folder: Path, to: Path, *, closed: bool = False, gold: bool = False, now: datetime | None = None
) -> Release:
    """Writes what contestants get: release.json, tasks.jsonl, world/ unless ``closed``, sealed files with ``gold``.

    Raises UserError for gold before the window closes, and if a file to be published contains the seed.
    """
    release = read_release(folder)
    is_open = (now or datetime.now(UTC)) < release.closes
    if gold and is_open:
        raise UserError(f"The gold stays sealed until {release.closes:%Y-%m-%d %H:%M %Z}.")
    tasks = _published(folder / "sealed")
    if is_open:
        seed = (folder / "sealed" / "seed.txt").read_text(encoding="utf-8")
        shop = [] if closed else (folder / "sealed" / "world").rglob("*")
        if where := _telling(seed, (folder / "release.json", *shop, *to.rglob("*")), tasks):
            raise UserError(f"{where} holds the sealed seed: make the release anew, with a drawn seed.")
    write_atomically(to / "release.json", (folder / "release.json").read_bytes())
    write_lines(to / "tasks.jsonl", tasks)
    if not closed and not (to / "world").exists():
        leave = shutil.ignore_patterns(*(f"*{name}" for name in TRANSIENT))
        with made_whole(to / "world") as made:
            shutil.copytree(folder / "sealed" / "world", made, ignore=leave)
    sealed = (folder / "sealed" / name for name in SEALED if gold)
    for path in filter(Path.exists, sealed):
        write_atomically(to / path.name, path.read_bytes())
    return release
