"""How often and how lately a user orders."""

from collections.abc import Iterator
from itertools import pairwise
from statistics import median_low

from drretail.grounding.purchases import Purchases, counted, day_of, moment_of, stated
from drretail.records.score import Statement
from drretail.records.shop import UserStatistics

# Fewer orders, or a shorter time, show no rhythm.
LEAST_ORDERS, LEAST_DAYS = 3, 60
# Of two pauses the shorter one is no half.
LEAST_PAUSES = 3


def history(bought: Purchases) -> Iterator[Statement]:
    """How much there is, and how long ago the last of it was."""
    kept, void = bought.kept, len(bought.void)
    if not bought.orders:
        yield Statement(code="history", text="There is no order yet.")
        return
    if not kept:
        text = f"{counted(void, 'order')}, cancelled or returned; nothing was kept."
        yield stated("history", text, bought.orders)
        return
    first, last = day_of(kept[0]), day_of(kept[-1])
    since = f" between {first} and {last}" if first != last else f" on {last}"
    without = f"; {void} more came to nothing (cancelled or returned)" if void else ""
    yield stated("history", f"{counted(len(kept), 'order')}{since}{without}.", bought.orders)
    days = (bought.now.date() - moment_of(kept[-1]).date()).days
    if days >= 0:
        text = f"The last order was {counted(days, 'day')} before today, {bought.now.date().isoformat()}."
        yield stated("recency", text, kept[-1:])


def rhythm(bought: Purchases, statistics: UserStatistics) -> Iterator[Statement]:
    """The pace of the orders, and the pause that is usual between two days with orders."""
    if not has_rhythm(bought, statistics):
        return
    text = f"{statistics.orders_per_month:g} orders a month between the first and the last"
    days = sorted({moment_of(order).date() for order in bought.kept})
    pauses = [(after - before).days for before, after in pairwise(days)]
    if len(pauses) >= LEAST_PAUSES:
        text += f"; of the pauses between days with orders, half last {counted(median_low(pauses), 'day')} or less"
    yield stated("rhythm", f"{text}.", bought.kept)


def has_rhythm(bought: Purchases, statistics: UserStatistics) -> bool:
    """True when there are orders enough, over a time long enough, to speak of a pace."""
    kept = bought.kept
    if len(kept) < LEAST_ORDERS or statistics.orders_per_month is None:
        return False
    return (moment_of(kept[-1]) - moment_of(kept[0])).days >= LEAST_DAYS
