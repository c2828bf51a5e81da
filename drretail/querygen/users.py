"""The users that queries are made for: named or drawn."""

from collections.abc import Iterator, Sequence

from drretail.env.world import World
from drretail.errors import NotFound, UserError

# Users drawn per user wanted, since some give no query; after the last factor the search ends. The first users of
# a larger sample are those of the smaller one.
_LARGER = (1.5, 5, 20)


def drawn_users(world: World, seed: str, n: int) -> Iterator[str]:
    """Users for a sample of ``n``, then others that may replace them.

    Raises UserError for a world without users.
    """
    seen: set[str] = set()
    for size in (round(n * factor) for factor in _LARGER):
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
    """Raises UserError for the first user unknown to the world."""
    for user_id in users:
        try:
            world.store.user(user_id)
        except NotFound:
            some = [row.user_id for row in world.store.sample_users("0", 3)]
            hint = f"Some that it holds: {', '.join(some)}." if some else "It has no users at all."
            raise UserError(f"This world has no user {user_id!r}. {hint}") from None
