"""Pages of several kinds, made of what the catalog says and of facts that are planted."""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random

from drretail.env.web.sandbox import SandboxPage
from drretail.records.shop import Product
from drretail.sandboxes.facts import short_title

Writer = Callable[[Product, Sequence[str], Random], tuple[str, str]]
OF_FACT = {"recall": "notice", "price history": "prices", "test": "review", "look-alike": "guide"}
"""The kind of page that a fact stands in."""
_PEOPLE = ("Mara", "Jules", "Tobin", "Ines", "Okoro", "Priya", "Lund", "Sava", "Wren", "Dario", "Noor", "Hale")
_OPENINGS = (
    "I have had mine since",
    "Bought in",
    "We began with it in",
    "Mine came in",
    "Second one, the first was from",
)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_VIEWS = (
    "It does what it should.",
    "I would take it again.",
    "My sister sent hers back.",
    "Not for everybody, but fine here.",
    "The colour is paler than in the pictures.",
    "Packaging was dented, the thing itself was not.",
    "Took a week to get used to.",
    "Cleaning takes longer than using it.",
    "For that money I won't complain.",
)


def page_of(product: Product, kind: str, said: Sequence[str], today: date, age: int, random: Random) -> SandboxPage:
    """A page of that kind about a product; ``said`` stands in it word for word, ``age`` is in days."""
    title, text = WRITERS[kind](product, said, random)
    site = random.choice(_SITES[kind])
    words = re.sub(r"[^a-z0-9]+", "-", short_title(product).lower())[:50].strip("-")
    name = f"{words}-{random.getrandbits(32):08x}"
    written = (today - timedelta(days=age)).isoformat()
    return SandboxPage(url=f"https://{site}.example/{name}", title=title, text=text, date=written)


def _about(product: Product, random: Random) -> list[str]:
    lines = [f"{it.rstrip('.')}." for it in (*product.features, *product.description) if it.strip()]
    random.shuffle(lines)
    return lines


def _review(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    body = [f"What we looked at: {product.title}.", *_about(product, random)[:4], *said, random.choice(_VIEWS)]
    return f"{short_title(product)}: our review", "\n\n".join(body)


def _guide(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    kind = product.categories[-1] if product.categories else "this kind of thing"
    body = [
        f"Whoever buys from {kind} should know what to ask for.",
        *(f"- {it}" for it in _about(product, random)),
        *said,
    ]
    return f"Buying guide: {kind}, with the {short_title(product)}", "\n".join(body)


def _shop(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    lines = [f"Sold by {random.choice(_PEOPLE)}'s Store", *(f"* {it}" for it in _about(product, random)), *said]
    return f"{product.title} | buy now", "\n".join([*lines, "Ships in two to four days. Thirty days to send it back."])


def _thread(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    posts = [f"{_opened(random)} {it}" for it in [*_about(product, random)[:5], *random.sample(_VIEWS, 4)]]
    posts[random.randrange(len(posts)) : 0] = said
    who = [f"{random.choice(_PEOPLE)}{random.randint(2, 99)}: {it}" for it in posts]
    return f"Thread: anybody using the {short_title(product)}?", "\n\n".join(who)


def _opened(random: Random) -> str:
    return f"{random.choice(_OPENINGS)} {random.choice(_MONTHS)}."


def _notice(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    body = [
        f"Concerning: {product.title}",
        f"Notice {random.randint(100, 999)}",
        *said,
        "Keep the receipt.",
        *_about(product, random)[:2],
    ]
    return f"Product safety notice: {short_title(product)}", "\n\n".join(body)


def _prices(product: Product, said: Sequence[str], random: Random) -> tuple[str, str]:
    price = product.price or 20.0
    rows = [f"{month}: ${price * random.uniform(0.93, 0.99):.2f}" for month in _MONTHS]
    return f"Price history of the {short_title(product)}", "\n".join([product.title, *said, *rows])


WRITERS: dict[str, Writer] = {
    "review": _review, "guide": _guide, "shop": _shop, "thread": _thread, "notice": _notice, "prices": _prices,
}  # fmt: skip
_SITES = {
    "review": ("tried-and-told", "bench-notes", "plain-reviews"),
    "guide": ("what-to-buy", "home-primer", "the-long-list"),
    "shop": ("cornerstore", "bargain-barn", "parcel-lane"),
    "thread": ("askaround", "owners-talk", "thingforum"),
    "notice": ("product-safety", "recall-register", "safe-goods"),
    "prices": ("price-trail", "pricewatcher", "cent-log"),
}
