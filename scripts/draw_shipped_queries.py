"""Draws drretail/querygen/benchmark/{dev,test}.jsonl, the fifty queries that come with drretail.

    python scripts/draw_shipped_queries.py

Seventeen users of the demo world with enough orders to tell something, three queries each (one has two): fifty needs,
each once, the ones that fewest users can have first. Seven users are the dev split, the others the test split, so that
every kind of need has about its share of both; no user is in both. Nothing that the checks find fault with is taken.
Run it only when the demo world or the set changes on purpose; then read all fifty, name in READ what no person would
write, draw again, and put the fingerprint into drretail/querygen/shipped.py.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from drretail.cli.options.worlds import opened_world
from drretail.env.session import Session
from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.checks.wording import Texts
from drretail.querygen.generate import drafts_of, query_of
from drretail.querygen.lint import Linter
from drretail.querygen.rules.drafting import Draft
from drretail.querygen.rules.history import read_history
from drretail.querygen.rules.needs import needs
from drretail.querygen.rules.offers import Offers
from drretail.querygen.rules.variety import alike
from drretail.querygen.shipped import CANARY
from drretail.records.query import NEED_KINDS, NeedKind, Query
from drretail.tools.toolkit import Toolkit

FOLDER = Path(__file__).parents[1] / "drretail" / "querygen" / "benchmark"
SEED = "shipped-2"
USERS, DEV_USERS, PER_USER, QUERIES, DEV_QUERIES = 17, 7, 3, 50, 20
# Each user's drafts are made under so many seeds.
SEEDS = 8
SAMPLED, LEAST_THINGS, CANDIDATES = 1800, 4, 60
# Much like another need that is in, or told by no more than an order: the set has 50 of the 57.
LEFT_OUT = frozenset({"worth it", "subscribe", "upgrade", "a second one", "project", "rainy season", "new dog"})
# Rejected when read, by how the text begins.
READ: tuple[str, ...] = (
    "We're new to this part of the country, and I'd like to find out how to get a house",  # bulbs for the winter
)


@dataclass
class User:
    """Someone of the demo world, with the faultless drafts of each need and the queries that were taken."""

    user_id: str
    drafts: dict[str, list[Draft]]
    taken: dict[str, Draft] = field(default_factory=dict[str, Draft])

    def fitting(self, need: str) -> Draft | None:
        """The first draft of a need that goes with those that were taken: other things, no contradiction."""
        for made in self.drafts.get(need, ()):
            others = self.taken.values()
            if not any(made.kind == it.kind or alike(made.text, it.text) for it in others) and all(
                made.goes_with(it) for it in others
            ):
                return made
        return None

    def take(self, need: str) -> None:
        made = self.fitting(need)
        assert made is not None
        self.taken[need] = made


def users_of(world: World, shelf: Offers, linter: Linter) -> list[User]:
    """Users with several kinds of purchases, in the order of the sample."""
    found: list[User] = []
    with Toolkit(Session(world)) as shop:
        for row in world.store.sample_users(SEED, SAMPLED):
            if len({it.thing.name for it in read_history(shop, row.user_id).purchases}) >= LEAST_THINGS:
                found.append(User(row.user_id, faultless(world, shelf, linter, row.user_id)))
            if len(found) == CANDIDATES:
                break
    return found


def faultless(world: World, shelf: Offers, linter: Linter, user_id: str) -> dict[str, list[Draft]]:
    by_need: dict[str, list[Draft]] = {}
    for number in range(SEEDS):
        for made in drafts_of(world, shelf, user_id, seed=f"{SEED}-{number}"):
            whole = not linter.check(query_of(world, user_id, "draft", made)).findings
            if whole and made.need not in LEFT_OUT and not made.text.startswith(READ or ("\n",)):
                by_need.setdefault(made.need, []).append(made)
    return {need: sorted(drafts, key=_is_common) for need, drafts in by_need.items()}


def _room(user: User, need: str) -> int:
    """How many queries the user has; one less for who would name a number, as few do."""
    made = user.fitting(need)
    return len(user.taken) - (made is not None and not _is_common(made))


def _is_common(made: Draft) -> bool:
    """Few drafts name a number; presents for several people do without help."""
    return not made.constraints.quantities or made.kind == "gift"


def shared_out(users: Sequence[User]) -> list[User]:
    """The users who were given queries: each need once, the rarest first, to who has most room."""
    open_needs = sorted(
        (need.name for need in needs() if need.name not in LEFT_OUT),
        key=lambda name: (sum(name in user.drafts for user in users), name),
    )
    chosen: list[User] = []
    for need in open_needs:
        among = [user for user in chosen if len(user.taken) < PER_USER and user.fitting(need)]
        fresh = [user for user in users if user not in chosen and user.fitting(need)] if len(chosen) < USERS else []
        if fresh:  # whoever adds a thing that nobody asks about yet
            about = {thing for user in chosen for made in user.taken.values() for thing in made.about}
            among = (
                [user for user in fresh if (made := user.fitting(need)) and not made.about & about] or among or fresh
            )
        if not among and not made_room(chosen, need):
            raise SystemExit(f"nobody has room for {need!r}: take another seed")
        if among:
            user = min(among, key=lambda it: (_room(it, need), -len(it.drafts), it.user_id))
            user.take(need)
            if user not in chosen:
                chosen.append(user)
    return chosen


def made_room(chosen: Sequence[User], need: str) -> bool:
    """Whether somebody could take the need after another of theirs went to a user with room."""
    for user in chosen:
        for other, made in list(user.taken.items()):
            del user.taken[other]
            heir = next(
                (it for it in chosen if it is not user and len(it.taken) < PER_USER and it.fitting(other)), None
            )
            if heir is not None and user.fitting(need):
                heir.take(other)
                user.take(need)
                return True
            user.taken[other] = made
    return False


def split(chosen: Sequence[User]) -> tuple[list[User], list[User]]:
    """The dev users and the test users, so that each kind of need has nearly the same share of both."""
    divisions = [
        (dev, [user for user in chosen if user not in dev])
        for dev in map(list, combinations(chosen, DEV_USERS))
        if sum(len(user.taken) for user in dev) == DEV_QUERIES
    ]
    dev, test = min(divisions, key=_unevenness)
    if any(set(_counts(part)) != set(NEED_KINDS) for part in (dev, test)):
        raise SystemExit("no division has all kinds of needs in both parts: take another seed")
    return dev, test


def _unevenness(division: tuple[list[User], list[User]]) -> float:
    """The largest relative difference between the shares of a kind; infinite where one part lacks it."""
    dev, test = map(_counts, division)
    shares = [(dev[kind] / DEV_QUERIES, test[kind] / (QUERIES - DEV_QUERIES)) for kind in NEED_KINDS]
    return max(abs(one - other) / (one + other) if one and other else float("inf") for one, other in shares)


def _counts(users: Sequence[User]) -> Counter[NeedKind]:
    return Counter(made.kind for user in users for made in user.taken.values())


def named(world: World, part: str, users: Sequence[User], texts: Texts) -> list[Query]:
    queries: list[Query] = []
    for user in users:
        for made in user.taken.values():
            query = query_of(world, user.user_id, f"{part}-{len(queries) + 1:02}", made)
            duplicate = texts.near_duplicate(query)
            if duplicate is not None:
                raise SystemExit(f"{query.query_id}: {duplicate.found}; name one of the two in READ")
            texts.add(query)
            queries.append(query.model_copy(update={"source": CANARY}))
    return queries


def main() -> None:
    texts = Texts()
    with opened_world("demo") as world:
        linter = Linter(world)
        chosen = shared_out(users_of(world, Offers(linter.stock), linter))
        for part, users in zip(("dev", "test"), split(chosen), strict=True):
            queries = named(world, part, users, texts)
            write_lines(FOLDER / f"{part}.jsonl", (query.as_line() for query in queries))
            print(part, len(queries), "queries of", len(users), "users")


if __name__ == "__main__":
    main()
