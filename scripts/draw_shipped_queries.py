"""Draws drretail/querygen/benchmark/{dev,test}.jsonl, the fifty queries that come with drretail.

    python scripts/draw_shipped_queries.py

Seventeen users of the demo world with enough orders to tell something, three queries each (one has two), no need twice
as far as that goes, nothing that the checks find fault with. The first seven users are the dev split, the others the
test split: no user is in both. Run it only when the demo world changes on purpose; then read all fifty, name in READ
what no person would write, draw again, and put the new fingerprint into drretail/querygen/shipped.py.
"""

from collections.abc import Iterator
from pathlib import Path

from drretail.cli.worlds import opened_world
from drretail.env.session import Session
from drretail.env.world import World
from drretail.files import write_lines
from drretail.querygen.checks.wording import Texts
from drretail.querygen.drafts.case import Draft
from drretail.querygen.generate import drafts_of, query_of
from drretail.querygen.history import read_history
from drretail.querygen.lint import Linter
from drretail.querygen.shelf import Shelf
from drretail.querygen.shipped import CANARY
from drretail.querygen.users import user_slug
from drretail.records.query import Query
from drretail.tools.toolkit import Toolkit

FOLDER = Path(__file__).parents[1] / "drretail" / "querygen" / "benchmark"
SEED = "shipped-1"
USERS, DEV_USERS, PER_USER, DEV_QUERIES = 17, 7, 3, 20
# Of each user so many drafts are looked at, under so many seeds.
DRAFTS, SEEDS = 12, 4
LEAST_PURCHASES = 4
# The demo shop sells fifty kinds; users who add none are passed over until so many are known.
ALL_BUT_RARE = 40
# Rejected when read: (beginning of the text).
READ: tuple[str, ...] = ()


def candidates(world: World) -> Iterator[str]:
    """Users with several kinds of purchases, who differ in what they bought."""
    known: set[str] = set()
    with Toolkit(Session(world)) as shop:
        for row in world.store.sample_users(SEED, 600):
            things = {it.thing.name for it in read_history(shop, row.user_id).purchases}
            if len(things) >= LEAST_PURCHASES and (things - known or len(known) >= ALL_BUT_RARE):
                known |= things
                yield row.user_id


def drafts(world: World, shelf: Shelf, user_id: str) -> Iterator[Draft]:
    for number in range(SEEDS):
        for _, made in zip(range(DRAFTS), drafts_of(world, shelf, user_id, seed=f"{SEED}-{number}"), strict=False):
            if not made.text.startswith(READ or ("\n",)):
                yield made


def chosen(world: World, shelf: Shelf, linter: Linter, user_id: str, used: set[str], texts: Texts) -> list[Query]:
    """The user's queries: of needs that nobody has yet if possible, about different things, and faultless."""
    taken: list[Query] = []
    about: set[str] = set()
    for may_repeat in (False, True):
        for made in drafts(world, shelf, user_id):
            query = query_of(world, user_id, f"{user_slug(user_id)}-{len(taken)}", made)
            fresh = (may_repeat or made.kind not in used) and not made.about & about
            if len(taken) < PER_USER and fresh and not linter.check(query).findings and not texts.near_duplicate(query):
                taken.append(query)
                texts.add(query)
                used.add(made.kind)
                about |= made.about
    return taken


def main() -> None:
    with opened_world("demo") as world, Toolkit(Session(world)) as toolkit:
        shelf, linter, texts, used = Shelf(toolkit), Linter(world), Texts(), set[str]()
        by_user: list[list[Query]] = []
        for user_id in candidates(world):
            taken = chosen(world, shelf, linter, user_id, used, texts)
            if len(taken) == PER_USER:
                by_user.append(taken)
            if len(by_user) == USERS:
                break
    dev = [query for taken in by_user[:DEV_USERS] for query in taken][:DEV_QUERIES]
    test = [query for taken in by_user[DEV_USERS:] for query in taken]
    for split, queries in (("dev", dev), ("test", test)):
        named = (
            query.model_copy(update={"query_id": f"{split}-{number:02}", "source": CANARY})
            for number, query in enumerate(queries, 1)
        )
        write_lines(FOLDER / f"{split}.jsonl", (query.as_line() for query in named))
        print(split, len(queries), "queries;", len(used), "needs in all")


if __name__ == "__main__":
    main()
