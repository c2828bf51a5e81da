"""``gym split``: questions to train on, and held-out ones of other people, wishes and shops, in other sentences. Both
hold single questions, what a shop can't meet, and conversations by the same shares.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.gym.options import SplitOptions
from drretail.api.option import accepts
from drretail.api.options.shared import split_names, text_list
from drretail.api.queries.writing import check_unused, write_queries
from drretail.api.worlds import open_world
from drretail.data_ingest.demo import DemoShop, build_shop
from drretail.env.world import World
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.querygen.converse import make_conversations
from drretail.querygen.generate import Drafts
from drretail.querygen.reading import FIFTY, GENERIC, MARKET, shipped_queries
from drretail.querygen.spoil import spoil_queries
from drretail.records.account import Account
from drretail.records.base import canonical_json, file_name, sha256_of
from drretail.records.criteria import NeedOf
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.reports.text.words import STOP_WORDS
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import table_of

TRAIN, HELD_OUT = "train", "held-out"
PRODUCTS, REVIEWS = 1_000, 15_000
"""The size of a made-up shop: some twenty products of each of fifty kinds."""
_TRIED = 6
"""Users tried per query wanted: some want what others want already, and kinds of need are rare."""
Wanted = frozenset[tuple[object, ...]]
CONVERSATION, REFUSAL = "conversation", "can't be met"
SHARES = {CONVERSATION: 0.2, REFUSAL: 0.15}
"""Of the questions of a part, counting a conversation as one; the others are asked alone, and can be met."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The questions for one purpose, about one shop."""

    name: str
    world: str
    """The shop, as ``--world`` takes it."""
    queries: tuple[Query, ...]


def make_parts(
    to: Path, sizes: tuple[int, int], *, worlds: tuple[str | None, str | None], seed: str, progress: Progress
) -> tuple[_Part, _Part]:
    """Makes queries to train on and held-out ones, of all kinds of need that the shops bear.

    A shop that is None is made up below ``to``. No user and no wish is in both parts, or among the shipped queries. The
    same arguments give the same queries. Raises UserError if no query can be made.
    """
    shipped = shipped_queries(*FIFTY, *MARKET, GENERIC)
    people, wishes = {query.user_id for query in shipped}, {wanted(query) for query in shipped}
    parts: list[_Part] = []
    for number, (name, n, world_name) in enumerate(zip((TRAIN, HELD_OUT), sizes, worlds, strict=True)):
        # A made-up shop has products that no other seed gives.
        made_up = DemoShop(PRODUCTS, REVIEWS, seed=f"{seed}-{name}")
        world = world_name or str(build_shop(to / file_name(f"{name}-shop-{seed}"), progress, made_up))
        with open_world(world) as shop:
            with progress.busy(f"writing the {name} queries"):
                queries = _queries(shop, n, f"{seed}-{name}", people, wishes, number)
            parts.append(_Part(name, world, queries))
        people |= {query.user_id for query in queries}
        wishes |= {wanted(query) for query in queries}
    return parts[0], parts[1]


def part_of(text: str) -> int:
    """The number of the part to which a question belongs by its skeleton, so that the parts share none."""
    return int(sha256_of(skeleton(text)), 16) % 2


def skeleton(text: str) -> str:
    """The question without what it is about: its function words and signs, and a point for all between."""
    plain = re.sub(r"\$?\w+(?:[$'’.,-]+\w+)*", lambda word: word[0] if word[0].casefold() in STOP_WORDS else "·", text)
    return re.sub(r"·(?: ·)+", "·", plain)


def wanted(query: Query) -> Wanted:
    """What a query wants bought, whatever it may cost and whoever asks."""
    wanted_things: set[tuple[object, ...]] = set()
    for want in () if query.wish is None else query.wish.wants:
        demands = (demand.model_dump(exclude={"say"} if demand.field else set()) for demand in want.demands)
        kinds = sorted(map(str.casefold, want.kinds))
        wanted_things.add((*kinds, want.quantity, *sorted(map(canonical_json, demands))))
    return frozenset(wanted_things)


def _queries(
    shop: World, n: int, seed: str, people: Collection[str | None], wishes: Collection[Wanted], number: int
) -> tuple[Query, ...]:
    """``n`` questions of as many users for the part of this number, as even in what they need as the users' records
    allow, and by ``SHARES``.
    """
    users = [row.user_id for row in shop.store.sample_users(seed, _TRIED * n + len(people))]
    users = [user_id for user_id in users if user_id not in people]
    if not users:
        raise UserError("The shop has no users of whom no other query is: split queries over two shops.")
    drafts, seen, kinds, chosen = Drafts(shop, seed), {*wishes}, Counter[object](), list[Query]()
    for user_id in users:
        new = (query for query in drafts.of(user_id) if wanted(query) not in seen)
        own = [query for query in new if part_of(query.text) == number]
        if (rarest := min(own, key=lambda query: kinds[kind_of(query)], default=None)) is not None:
            chosen.append(rarest)
            seen.add(wanted(rarest))
            kinds[kind_of(rarest)] += 1
        if len(chosen) == n:
            break
    if not chosen:
        raise UserError(f"No query could be made from the orders of {counted(len(users), 'user')}: name another shop.")
    talks, refusals = (round(share * len(chosen)) for share in SHARES.values())
    queries = list[Query]()
    for query in chosen:
        derived = list[Query]()
        if talks:
            derived = make_conversations([query], shop, seed, sentences=slice(number, None, 2)).queries
            talks -= bool(derived)
        if refusals and not derived:
            twins = spoil_queries([query], shop, seed).queries
            derived = [twin for twin in twins if twin.infeasible and part_of(twin.text) == number]
            refusals -= bool(derived)
        queries += derived or [query]
    return tuple(queries)


def kind_of(query: Query) -> tuple[str | None, tuple[NeedOf, ...], bool]:
    """By what queries are kept even: the kind of need, the sources that are proved to be needed, how many wants."""
    several = query.wish is not None and len(query.wish.wants) > 1
    return query.kind, query.needs.proved if query.needs else (), several


COLUMNS = ("part", "kind", "questions")
NOTES = (
    "No person and no wish is in both parts, or in the queries that ship with drretail. No skeleton of a question, its "
    "function words and signs, is in both parts.",
)


def labels_of(query: Query, followed: Collection[str | None]) -> Iterator[str]:
    """The rows of a part's table in which a question counts."""
    yield "all"
    if query.query_id in followed:
        yield CONVERSATION
    elif query.infeasible:
        yield REFUSAL
    else:
        kind, needs, several = kind_of(query)
        yield f"{kind}, several things" if several else f"{kind}"
        if needs:
            yield f"needs {' and '.join(needs)}"


@accepts(SplitOptions)
def split(options: SplitOptions) -> Result[Sequence[_Part]]:
    """The parts that were written, and how many questions of each kind they hold.

    Raises UserError if lines of a file would be lost.
    """
    to, sizes = Path(options.to), split_names([str(size) for size in text_list(options.sizes)])
    if len(sizes) != 2 or not all(text.isdecimal() and int(text) for text in sizes):
        raise UserError(f"--sizes {','.join(sizes)}: write two numbers, such as --sizes 100,40.")
    if len(worlds := text_list(options.world)) > 2:
        raise UserError("--world names the shop to train in, and then the one to measure in: no more.")
    files = [to / f"{name}.jsonl" for name in ("train", "held-out")]
    for file in files:
        check_unused(file, force=options.force)
    train, held_out = map(int, sizes)
    places = (worlds[0] if worlds else None, worlds[1] if len(worlds) > 1 else None)
    parts = make_parts(to, (train, held_out), worlds=places, seed=options.seed, progress=choose_progress())
    rows: list[tuple[object, ...]] = []
    for part in parts:
        followed = {query.after for query in part.queries}
        asked = (query for query in part.queries if query.after is None)
        counts = Counter(label for query in asked for label in labels_of(query, followed))
        rows += [(part.name, label, count) for label, count in counts.items()]
    part_files: dict[str, object] = {}
    lines: list[str] = []
    for part, file in zip(parts, files, strict=True):
        write_queries(file, part.queries, force=options.force)
        part_files[part.name] = {"file": str(file), "world": part.world, "queries": len(part.queries)}
        lines.append(f"{counted(len(part.queries), 'query')} → {file}, for the world {part.world}")
    document = {"parts": part_files, "kinds": [dict(zip(COLUMNS, row, strict=True)) for row in rows]}
    account = Account("gym split", "query")
    for part, wanted_queries in zip(parts, (train, held_out), strict=True):
        questions = sum(query.after is None for query in part.queries)
        account.take(wanted_queries)
        account.use(questions)
        lacking = wanted_queries - questions
        account.leave_out("no other user has orders of which a new query can be made", part.name, lacking)
    kinds = table_of("Questions by kind", COLUMNS, rows, notes=NOTES)
    return Result(parts, document, [*lines, kinds], path=to, accounts=[account])
