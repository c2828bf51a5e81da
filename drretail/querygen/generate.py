"""Users → drafts → queries, the same for the same world, user and seed, however many users there are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.drafts.case import Case, Draft
from drretail.querygen.drafts.composing import MOST_WORDS, draft
from drretail.querygen.history import History, read_history
from drretail.querygen.needs import Need, needs
from drretail.querygen.shelf import Shelf, price_level
from drretail.querygen.users import check_users, drawn_users, user_slug
from drretail.records.query import Query
from drretail.tools.toolkit import Toolkit

SOURCE = "offline:generator"
LEAST_WORDS = 40
# Of the runs of three words in the shorter of two texts, the share that may stand in the other.
_ALIKE = 0.4
# Each draft kind may come this often with other things at its centre.
_ROUNDS = 3


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
    return _generate(world, drawn_users(world, seed, n), per_user=per_user, seed=seed, wanted=n)


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


def queries_of(world: World, shelf: Shelf, user_id: str, *, per_user: int, seed: str) -> list[Query]:
    """The user's queries; asking for more gives the same ones and others behind them."""
    chosen: list[Draft] = []
    for made in drafts_of(world, shelf, user_id, seed=seed):
        if not any(alike(made.text, other.text) for other in chosen):
            chosen.append(made)
        if len(chosen) >= per_user:
            break
    return [query_of(world, user_id, f"{user_slug(user_id)}-{number}", made) for number, made in enumerate(chosen, 1)]


def drafts_of(world: World, shelf: Shelf, user_id: str, *, seed: str) -> Iterator[Draft]:
    """All drafts of a user, one after the other; some may be alike."""
    with Toolkit(Session(world, user_id=user_id)) as toolkit:
        history = read_history(toolkit, user_id)
    return _drafts(history, shelf, seed)


def _drafts(history: History, shelf: Shelf, seed: str) -> Iterator[Draft]:
    """Drafts in the order in which they are to be used, the shapes of their needs taking turns."""
    level = price_level(history, shelf)
    used: set[str] = set()
    by_need: dict[str, set[str]] = {need.name: set() for need in needs()}
    for turn in range(_ROUNDS):
        shapes: set[str] = set()
        pending = list(needs())
        Random(f"{seed}|{history.user_id}|{turn}").shuffle(pending)
        while pending:
            need = _next(pending, shapes)
            # First things that no query is about yet; then things that no query of this need is about.
            for avoid in (used, by_need[need.name]):
                rng = Random(f"{seed}|{history.user_id}|{need.name}|{turn}")
                made = draft(Case(history, shelf, rng, level, frozenset(avoid)), need)
                if made is not None and LEAST_WORDS <= len(made.text.split()) <= MOST_WORDS:
                    used |= made.about
                    by_need[need.name] |= made.about
                    shapes.add(need.shape)
                    yield made
                    break


def _next(pending: list[Need], shapes: set[str]) -> Need:
    """Takes out the first need of a shape that has not been used; when none is left, all are free again."""
    found = next((need for need in pending if need.shape not in shapes), None)
    if found is None:
        shapes.clear()
        found = pending[0]
    pending.remove(found)
    return found


def alike(text: str, other: str) -> bool:
    """True when two texts share so many runs of three words that they read as one question."""
    runs, others = _runs(text), _runs(other)
    return len(runs & others) > _ALIKE * min(len(runs), len(others))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return set(zip(words, words[1:], words[2:], strict=False))


def query_of(world: World, user_id: str, query_id: str, made: Draft) -> Query:
    """A draft as a query of this world."""
    return Query(
        query_id=query_id,
        user_id=user_id,
        text=made.text,
        mode="profile_aware",
        kind=made.kind,
        rationale=made.rationale,
        expected_tools=made.expected_tools,
        constraints=made.constraints,
        world_fingerprint=world.manifest.fingerprint,
        source=SOURCE,
    )
