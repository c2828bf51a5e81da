"""Which of a shopper's orders bear on a text."""

from drretail.llm.offline.shopper.customer import PastOrder
from drretail.llm.offline.shopper.need import kind_of
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import content_stems

MOST_ORDERS = 12
# Words of nearly every title, and of every sub-problem.
_COMMON = frozenset(content_stems("shopper order profile statistics brand set pack home small large black white live"))


def orders_that_bear(study: Study, text: str) -> list[PastOrder]:
    """Orders of what the text names and of what goes with it, newest first; the newest where it names nothing."""
    words = set(content_stems(text)) - _COMMON
    kinds = {need.name for need in study.needs} | set(study.wanted.owned)
    themes = {need.theme for need in study.needs if need.theme}
    close: list[PastOrder] = []
    for order in study.customer.orders:
        kind = kind_of(order.title)
        related = kind is not None and (kind.theme in themes or kind.name in kinds)
        if related or words & set(content_stems(order.title)):
            close.append(order)
    named = bool(kinds or study.needs)
    return (close if named else list(study.customer.orders))[:MOST_ORDERS]
