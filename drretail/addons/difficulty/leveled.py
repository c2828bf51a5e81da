"""Queries of a wanted level of difficulty: drafts with more and more axes are measured, and the fitting ones kept."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

from drretail.addons.difficulty.measure import Dial, level_of
from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.text.wording import listed
from drretail.querygen.generate import Drafts, Generated, drawn_users, taken_in_turn
from drretail.records.query import Query
from drretail.records.tables.figures import counted

_MOST_AXES = 5
_DRAFTS = 6
"""Drafts measured per user and number of axes."""
_USERS = 10
"""Users tried per user wanted: most users of a poor world come nowhere near a high level."""


def generate_at(
    world: World,
    levels: Collection[int],
    n: int,
    *,
    seed: str,
    users: Sequence[str] = (),
    is_wanted: Callable[[Query], bool] = lambda query: True,
) -> Generated:
    """Queries of these levels, one per user and as many of each level; ``n`` in all if so many can be made.

    ``is_wanted`` is asked of each query before it is taken. Users are named or drawn. Raises UserError if no query can
    be made, and for a shop that is not in English.
    """
    drafts = Drafts(world, seed, are_named=bool(users))
    dial, reached = Dial(drafts.linter.stock.offers), set[int]()
    left = {level: n // len(levels) + (place < n % len(levels)) for place, level in enumerate(sorted(levels))}

    def of_level(user_id: str) -> Iterator[Query]:
        """The user's draft of a level of which queries are still wanted; the highest of these first."""
        by_level = dict[int, Query]()
        for axes in range(_MOST_AXES, -1, -1):
            for draft in islice(drafts.of(user_id, axes), _DRAFTS):
                task = dial.task(draft)
                level = None if task is None else level_of(task.loss)
                # Of one level, the draft with the most axes: memory alone makes level 5, and little to research.
                if level is not None and (level not in by_level or len(draft.axes) > len(by_level[level].axes)):
                    by_level[level] = draft.model_copy(update={"level": level})
        reached.update(by_level)
        open_levels = [level for level, count in left.items() if count and level in by_level]
        for level in sorted(open_levels, reverse=True):
            if drafts.is_new(by_level[level]) and is_wanted(by_level[level]):
                left[level] -= 1
                yield by_level[level]
                return

    chosen = dict.fromkeys(users) or islice(drawn_users(world, seed, n), _USERS * n)
    made = taken_in_turn(chosen, of_level, wanted=n)
    if not made.queries:
        others = "other users (--user)" if users else "a larger shop (--world)"
        nearest = min(reached, key=lambda level: min(abs(level - wanted) for wanted in levels), default=None)
        remedy = f"no query of theirs can be measured. Try {others}, or one whose products have prices."
        if nearest is not None:
            remedy = f"theirs have {listed([*map(str, sorted(reached))])}. Try --level {nearest}, or {others}."
        wanted = listed([*map(str, sorted(levels))])
        whose = counted(len(made.without), "user")
        raise UserError(f"No query of level {wanted} could be made from the orders of {whose}: {remedy}")
    return made
