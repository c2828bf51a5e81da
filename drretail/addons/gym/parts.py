"""``gym split``: questions to train on, held-out ones of other people, wishes and shops, and what one search earns."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any

from drretail.addons.gym.env import Shop, ShopEnv
from drretail.addons.gym.options import SplitOptions
from drretail.addons.gym.reward import NO_REPORT, Reward
from drretail.api.option import accepts
from drretail.api.options.shared import split_names, text_list
from drretail.api.queries.writing import check_unused, write_queries
from drretail.api.worlds import open_world
from drretail.data_ingest.demo import DemoShop, build_shop
from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.report.picks import picks_block
from drretail.progress import Progress
from drretail.querygen.generate import Drafts
from drretail.querygen.reading import FIFTY, GENERIC, MARKET, shipped_queries
from drretail.records.account import Account
from drretail.records.base import canonical_json, file_name
from drretail.records.figures import counted
from drretail.records.query import NEED_KINDS, Query
from drretail.records.reading import Pick
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import table_of

TRAIN, HELD_OUT = "train", "held-out"
PRODUCTS, REVIEWS = 1_000, 15_000
"""The size of a made-up shop: some twenty products of each of fifty kinds."""
_TRIED = 6
"""Users tried per query wanted: some want what others want already, and kinds of need are rare."""
LONGEST_SEARCH = 500
"""The most characters of a search."""
Policy = Callable[[ShopEnv], str]
"""Makes its calls, and returns the report to hand in."""
Wanted = frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    """The questions for one purpose, about one shop."""

    name: str
    world: str
    """The shop, as ``--world`` takes it."""
    queries: tuple[Query, ...]
    floors: Mapping[str, float]
    """By query id, what one search earns."""


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
    for name, n, world_name in zip((TRAIN, HELD_OUT), sizes, worlds, strict=True):
        # A made-up shop has products that no other seed gives.
        made_up = DemoShop(PRODUCTS, REVIEWS, seed=f"{seed}-{name}")
        world = world_name or str(build_shop(to / file_name(f"{name}-shop-{seed}"), progress, made_up))
        with open_world(world) as shop:
            with progress.busy(f"writing the {name} queries"):
                queries = _queries(shop, n, f"{seed}-{name}", people, wishes)
            with progress.busy("measuring the floor"), Shop.open(shop, queries) as opened, ShopEnv(opened) as env:
                floors = {query.query_id: earned(env, one_search, query.query_id).value for query in queries}
            parts.append(_Part(name, world, queries, floors))
        people |= {query.user_id for query in queries}
        wishes |= {wanted(query) for query in queries}
    return parts[0], parts[1]


def wanted(query: Query) -> Wanted:
    """What a query wants bought, whatever it may cost and whoever asks."""
    wanted_things: set[tuple[object, ...]] = set()
    for want in () if query.wish is None else query.wish.wants:
        demands = (demand.model_dump(exclude={"say"} if demand.field else set()) for demand in want.demands)
        kinds = sorted(map(str.casefold, want.kinds))
        wanted_things.add((*kinds, want.quantity, *sorted(map(canonical_json, demands))))
    return frozenset(wanted_things)


def _queries(
    shop: World, n: int, seed: str, people: Collection[str | None], wishes: Collection[Wanted]
) -> tuple[Query, ...]:
    """``n`` queries of as many users, as even in their kinds of need as the users' records allow."""
    users = [row.user_id for row in shop.store.sample_users(seed, _TRIED * n + len(people))]
    users = [user_id for user_id in users if user_id not in people]
    if not users:
        raise UserError("The shop has no users of whom no other query is: split queries over two shops.")
    drafts, seen, kinds = Drafts(shop, seed), {*wishes}, Counter[str | None]()
    chosen, spare, most = list[Query](), list[Query](), ceil(n / len(NEED_KINDS))
    for user_id in users:
        new = (query for query in drafts.of(user_id) if wanted(query) not in seen)
        if (rarest := min(new, key=lambda query: kinds[query.kind], default=None)) is not None:
            (chosen if kinds[rarest.kind] < most else spare).append(rarest)
            seen.add(wanted(rarest))
            kinds[rarest.kind] += 1
        if len(chosen) == n:
            break
    if not chosen:
        raise UserError(f"No query could be made from the orders of {counted(len(users), 'user')}: name another shop.")
    return *chosen, *spare[: n - len(chosen)]


def earned(env: ShopEnv, policy: Policy, query_id: str) -> Reward:
    """What a policy earns on a query."""
    env.reset(query_id)
    report = policy(env)
    env.step({"name": "submit_report", "arguments": {"report": report}})
    return env.reward or Reward(why=NO_REPORT)


def one_search(env: ShopEnv) -> str:
    """Searches once with the question's words, and buys the first hit."""
    return buying(env, dict.fromkeys(hits_of(env, query=env.query.text[:LONGEST_SEARCH])[:1], 1))


def buying(env: ShopEnv, picks: Mapping[str, int]) -> str:
    """Opens the products, and returns a report that names their prices."""
    for product in picks:
        env.step({"name": "get_product_details", "arguments": {"product_id": product}})
    records = env.shop.world.store.products(list(picks))
    prices = {key: "" if record.price is None else f" for ${record.price:.2f}" for key, record in records.items()}
    lines = [f"- Get this one{prices[product]} [P:{product}]." for product in picks if product in prices]
    cart = [Pick(product=product, quantity=pieces) for product, pieces in picks.items()]
    return "\n".join([*lines, "", picks_block(cart)]) if cart else "Nothing was found."


def hits_of(env: ShopEnv, **search: Any) -> list[str]:
    """The products of a search."""
    _, _, _, info = env.step({"name": "product_catalog_search", "arguments": search})
    return [evidence.removeprefix("P:") for evidence in info["evidence"] if evidence.startswith("P:")]


ONE_SEARCH = "one search"
COLUMNS = ("part", "kind", "queries", ONE_SEARCH)
NOTES = (
    f"{ONE_SEARCH}: the mean reward of the first hit for the question's words.",
    "No person and no wish is in both parts, or in the queries that ship with drretail.",
)


@accepts(SplitOptions)
def split(options: SplitOptions) -> Result[Sequence[_Part]]:
    """The parts that were written, and what one search earns on each kind of need.

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
        # One row per kind, and one for all.
        for kind in (*sorted({query.kind for query in part.queries if query.kind is not None}), None):
            earned_of = [part.floors[query.query_id] for query in part.queries if kind in (None, query.kind)]
            rows.append((part.name, kind or "all", len(earned_of), round(fmean(earned_of), 2)))
    part_files: dict[str, object] = {}
    lines: list[str] = []
    for part, file in zip(parts, files, strict=True):
        write_queries(file, part.queries, force=options.force)
        part_files[part.name] = {"file": str(file), "world": part.world, "queries": len(part.queries)}
        lines.append(f"{counted(len(part.queries), 'query')} → {file}, for the world {part.world}")
    document = {"parts": part_files, "floors": [dict(zip(COLUMNS, row, strict=True)) for row in rows]}
    account = Account("gym split", "query")
    for part, wanted_queries in zip(parts, (train, held_out), strict=True):
        account.take(wanted_queries)
        account.use(len(part.queries))
        lacking = wanted_queries - len(part.queries)
        account.leave_out("no other user has orders of which a new query can be made", part.name, lacking)
    floors = table_of("Floor by kind of need", COLUMNS, rows, notes=NOTES)
    return Result(parts, document, [*lines, floors], path=to, accounts=[account])
