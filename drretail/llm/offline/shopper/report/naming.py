"""How products, prices, ratings, dates and citations are written in a report."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from drretail.grounding.wording import format_money, short_title
from drretail.llm.offline.shopper.candidates import Candidate

_LENGTHS = (55, 80, 120)
FEW_RATINGS = 25


class Names:
    """Short names, told apart: two products never share one."""

    def __init__(self, products: Iterable[Candidate]) -> None:
        self._names: dict[str, str] = {}
        for product in products:
            if product.product_id not in self._names:
                self._names[product.product_id] = self._free_name(product)

    def of(self, product: Candidate) -> str:
        return self._names.get(product.product_id) or self._free_name(product)

    def _free_name(self, product: Candidate) -> str:
        # Brackets would read as markdown, and a bold name may not hold an asterisk.
        title = product.title.replace("*", "").replace("[", "(").replace("]", ")")
        taken = set(self._names.values())
        names = [short_title(title, length) for length in _LENGTHS]
        return next((name for name in names if name not in taken), f"{names[-1]} ({product.product_id})")


def cite(*evidence: str | None) -> str:
    """``[P:a][P:b]``, each id once."""
    return "".join(f"[{one}]" for one in dict.fromkeys(evidence) if one)


def price_text(product: Candidate) -> str:
    """ "$19.99", "from $19.99", "no price listed"."""
    if product.price is None:
        return "no price listed"
    return f"{'from ' if product.price_from else ''}{format_money(product.price, product.currency)}"


def amount_text(value: Decimal) -> str:
    """``$60`` for whole dollars, else with cents: a shopper's own limits are seldom in cents."""
    return format_money(value).removesuffix(".00")


def rating_text(product: Candidate) -> str:
    """ "4.6 out of 5 from 2,067 ratings"."""
    if product.rating is None:
        return "no rating yet"
    if not product.ratings:
        return f"{product.rating:g} out of 5"
    return f"{product.rating:g} out of 5 from {counted(product.ratings, 'rating')}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def day_text(iso: str) -> str:
    """ "5 March 2022" of an ISO date; other texts as they are."""
    try:
        day = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{day.day} {day:%B %Y}"
