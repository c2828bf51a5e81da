"""Draws drretail/querygen/benchmark/graded.jsonl: sixty queries over the demo world in three levels of difficulty.

    python scripts/draw_graded.py

Of each third (levels 0–2, 3–5, 6–9) there are ten plain queries, six that hide limits of their wish, and two pairs of
twins of which the shop can meet one. Each has a user of its own, but for the two of a pair, and none of the fifty that
ship beside them.

The set was drawn when a step could still be easier for some solver: today's draw is another set. Run it only to change
the set on purpose: its figures are then those of another set.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from drretail.api.worlds import open_world
from drretail.difficulty.hardening import Hardener
from drretail.difficulty.hidden_wishes import hide
from drretail.difficulty.measure import with_levels
from drretail.difficulty.twins import KINDS, spoil
from drretail.files import write_lines
from drretail.querygen import shipped
from drretail.querygen.checks.wording import Texts
from drretail.querygen.generate import queries_of
from drretail.querygen.users import drawn_users
from drretail.records.base import sha256_of
from drretail.records.query import Query

SEED = "graded-60"
THIRDS = (range(3), range(3, 6), range(6, 10))
PLAIN, HIDDEN, PAIRS = 10, 6, 2
DRAFTS = 2
USERS = 400


@dataclass(slots=True)
class Drawing:
    hardener: Hardener
    spoilt: list[str] = field(default_factory=lambda: list(KINDS))
    """The kinds of twins, that of the next pair first."""

    def plain(self, draft: Query, third: range) -> Sequence[Query]:
        # Not all of a third at its lower end.
        level = third[int(sha256_of([SEED, draft.query_id]), 16) % len(third)]
        *_, query = (draft, *self.hardener.brought_to(draft, level))
        return self._leveled([query], third)

    def hidden(self, draft: Query, third: range) -> Sequence[Query]:
        """What is hidden makes a query harder, so that easier ones are tried, too."""
        digest = int(sha256_of([SEED, draft.query_id]), 16)
        manner = "terse" if digest % 2 else "open"
        for query in self.hardener.brought_to(draft, third[-1]):
            made = hide([query], self.hardener.dial.offers, manner=manner, from_record=digest % 3 == 0)
            if found := self._leveled(made.queries, third):
                return found
        return ()

    def pair(self, draft: Query, third: range) -> Sequence[Query]:
        for query in self.hardener.brought_to(draft, third[-1]):
            made = spoil([query], self.hardener.dial.offers, self.spoilt[:1], SEED)
            if found := self._leveled(made.queries, third):
                self.spoilt = [*self.spoilt[1:], self.spoilt[0]]
                return found
        return ()

    def _leveled(self, queries: Sequence[Query], third: range) -> Sequence[Query]:
        """The queries with their levels; none where one is of another third, or the checks find something."""
        made = with_levels(queries, [self.hardener.dial.difficulty(query) for query in queries])
        sound = not any(map(self.hardener.linter.findings, made))
        able = made and sound and all(query.level in third for query in made)
        return made if able else ()


def draw(drawing: Drawing, drafts: Iterator[list[Query]]) -> Iterator[Query]:
    """Each user's drafts go into the first place that is free and that one of them can be brought to."""
    makers: list[tuple[Callable[[Query, range], Sequence[Query]], int]] = [
        (drawing.pair, PAIRS),
        (drawing.hidden, HIDDEN),
        (drawing.plain, PLAIN),
    ]
    free = {(maker, third): count for maker, count in makers for third in reversed(THIRDS)}
    for of_user in drafts:
        tried = ((place, draft) for place, count in free.items() if count for draft in of_user)
        found = ((place, made) for place, draft in tried if (made := place[0](draft, place[1])))
        place, queries = next(found, (None, ()))
        if place is not None:
            free[place] -= 1
            print(place[0].__name__, [query.level for query in queries], sum(free.values()), "places left", flush=True)
            yield from queries
        if not any(free.values()):
            return
    raise SystemExit(f"{sum(free.values())} places are left: draw more users.")


def main() -> None:
    with open_world("demo") as world:
        hardener, written = Hardener.of(world, SEED), Texts()
        others = {query.user_id for query in shipped.shipped_queries()}
        users = (user for user in islice(drawn_users(world, SEED, USERS), USERS) if user not in others)
        drafts = (
            list(
                islice(
                    queries_of(world, hardener.assortment, user, seed=SEED, linter=hardener.linter, written=written),
                    DRAFTS,
                )
            )
            for user in users
        )
        drawn = sorted(draw(Drawing(hardener), drafts), key=lambda query: sha256_of([SEED, query.text]))
    queries = [
        query.model_copy(update={"query_id": f"graded-{number:02d}", "source": shipped.GRADED_CANARY})
        for number, query in enumerate(drawn, start=1)
    ]
    home = Path(shipped.__file__).parent / "benchmark"
    write_lines(home / f"{shipped.GRADED}.jsonl", (query.as_line() for query in queries))


if __name__ == "__main__":
    main()
