"""Users → drafts → queries, the same for the same world, user and seed, however many users there are."""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.querygen.drafts import compare, gift, project, replenish, season, upgrade
from drretail.querygen.drafts.case import Case, Draft
from drretail.querygen.history import History, read_history
from drretail.querygen.shelf import Shelf, price_level
from drretail.records.query import Query
from drretail.tools.toolkit import Toolkit

SOURCE = "offline:generator"
LEAST_WORDS, MOST_WORDS = 40, 110
# Of the runs of three words in the shorter of two texts, the share that may stand in the other.
_ALIKE = 0.4
# Each draft kind may come this often with other things at its centre.
_ROUNDS = 3
# How many times as many users are drawn when some give no query; after the last the search is given up.
_LARGER = (2, 5, 20)

DRAFTS: dict[str, Callable[[Case], Draft | None]] = {
    "upgrade": upgrade.draft,
    "project": project.draft,
    "replenish": replenish.draft,
    "compare": compare.draft,
    "gift": gift.draft,
    "season": season.draft,
}


@dataclass(frozen=True, slots=True)
class Generated:
    """The queries in the order of the users; and the users that gave none, or fewer than were asked for."""

    queries: tuple[Query, ...]
    users: int
    without: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()


def generate_for(world: World, users: Sequence[str], *, per_user: int, seed: str) -> Generated:
    """Up to ``per_user`` queries for each of these users.

    Raises UserError for a user that the world does not hold, and when no query can be made for any.
    """
    check_users(world, users)
    return _generate(world, list(dict.fromkeys(users)), per_user=per_user, seed=seed, wanted=None)


def generate_sampled(world: World, n: int, *, per_user: int, seed: str) -> Generated:
    """Up to ``per_user`` queries for each of ``n`` drawn users; users whose orders give none are replaced.

    Raises UserError for a world without users, and when no query can be made for any.
    """
    return _generate(world, _drawn(world, seed, n), per_user=per_user, seed=seed, wanted=n)


def _generate(world: World, users: Iterable[str], *, per_user: int, seed: str, wanted: int | None) -> Generated:
    queries: list[Query] = []
    served: list[str] = []
    without: list[str] = []
    fewer: list[str] = []
    with Toolkit(Session(world)) as shop:
        shelf = Shelf(shop)
        for user_id in users:
            made = queries_of(world, shelf, user_id, per_user=per_user, seed=seed)
            queries += made
            (served if made else without).append(user_id)
            if 0 < len(made) < per_user:
                fewer.append(user_id)
            if len(served) == wanted:
                break
    if not queries:
        raise UserError(
            f"No query could be made from the orders of {len(without)} users: there is nothing delivered whose title "
            "names an everyday thing that the shop has more of. Try other users or a larger world."
        )
    return Generated(tuple(queries), len(served), tuple(without), tuple(fewer))


def _drawn(world: World, seed: str, n: int) -> Iterator[str]:
    """Users for a sample of ``n``, then others in their stead, which are only drawn when they are needed."""
    seen: set[str] = set()
    for size in (n, *(n * factor for factor in _LARGER)):
        rows = world.store.sample_users(seed, size)
        if not rows:
            raise UserError("This world has no users, and queries are made from users' orders: ingest reviews, too.")
        for row in rows:
            if row.user_id not in seen:
                seen.add(row.user_id)
                yield row.user_id
        if len(rows) < size:
            return


def check_users(world: World, users: Sequence[str]) -> None:
    """Raises UserError for the first user that the world does not hold."""
    for user_id in users:
        try:
            world.store.user(user_id)
        except NotFound:
            some = [row.user_id for row in world.store.sample_users("0", 3)]
            hint = f"Some that it holds: {', '.join(some)}." if some else "It has no users at all."
            raise UserError(f"This world has no user {user_id!r}. {hint}") from None


def queries_of(world: World, shelf: Shelf, user_id: str, *, per_user: int, seed: str) -> list[Query]:
    """The user's queries; asking for more gives the same ones and others behind them."""
    with Toolkit(Session(world, user_id=user_id)) as toolkit:
        history = read_history(toolkit, user_id)
    drafts = _drafts(history, shelf, seed)
    chosen: list[Draft] = []
    for draft in drafts:
        if len(chosen) >= per_user:
            break
        if not any(alike(draft.text, other.text) for other in chosen):
            chosen.append(draft)
    return [_query(world, user_id, number, draft) for number, draft in enumerate(chosen, 1)]


def _drafts(history: History, shelf: Shelf, seed: str) -> Iterator[Draft]:
    """Drafts in the order in which they are to be used: all kinds once in a seeded order, then again."""
    order = list(DRAFTS)
    Random(f"{seed}|{history.user_id}").shuffle(order)
    level = price_level(history, shelf)
    used: set[str] = set()
    by_kind: dict[str, set[str]] = {name: set() for name in DRAFTS}
    for turn in range(_ROUNDS):
        for name in order:
            # First things that no query is about yet; then things that no query of this kind is about.
            for avoid in (used, by_kind[name]):
                rng = Random(f"{seed}|{history.user_id}|{name}|{turn}")
                draft = DRAFTS[name](Case(history, shelf, rng, level, frozenset(avoid)))
                if draft is not None and LEAST_WORDS <= len(draft.text.split()) <= MOST_WORDS:
                    used |= draft.about
                    by_kind[name] |= draft.about
                    yield draft
                    break


def alike(text: str, other: str) -> bool:
    """True when two texts share so many runs of three words that they read as one question."""
    runs, others = _runs(text), _runs(other)
    return len(runs & others) > _ALIKE * min(len(runs), len(others))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return set(zip(words, words[1:], words[2:], strict=False))


def _query(world: World, user_id: str, number: int, draft: Draft) -> Query:
    return Query(
        query_id=f"{user_slug(user_id)}-{number}",
        user_id=user_id,
        text=draft.text,
        mode="profile_aware",
        rationale=draft.rationale,
        expected_tools=draft.expected_tools,
        constraints=draft.constraints,
        world_fingerprint=world.manifest.fingerprint,
        source=SOURCE,
    )


def user_slug(user_id: str) -> str:
    """Eight characters for a user; a hash, since ids of different users often begin alike or differ in case only."""
    digest = hashlib.sha256(user_id.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:5]).decode("ascii").lower()
