"""What is planted about products: each fact stands in one page, and other pages contradict or outdate it."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that an answer ought to tell, and the trap beside it."""

    kind: str
    product: Product
    text: str
    traps: tuple[str, ...]
    """Sentences that say otherwise."""


def short_title(product: Product) -> str:
    """The title as people write it."""
    return product.title.split(",")[0].split(" – ")[0].split(" (")[0].strip()


def facts_of(products: Sequence[Product], random: Random) -> list[Fact]:
    """One fact a product, of another kind each; numbers are drawn, so that none stands anywhere by chance."""
    return [_MAKERS[number % len(_MAKERS)](product, random) for number, product in enumerate(products)]


def _recall(product: Product, random: Random) -> Fact:
    name, lot = short_title(product), f"{random.choice('BCDFGHKLM')}{random.randint(2000, 9899)}"
    text = f"Lot {lot} of the {name} is under recall: its fastening can come off, and buyers are to return it."
    return Fact("recall", product, text, (
        f"There is no recall of the {name}, and there never was one; every lot is fine.",
        f"An earlier scare about the {name} was withdrawn, so nobody needs to look at lot numbers.",
    ))  # fmt: skip


def _price(product: Product, random: Random) -> Fact:
    name, price = short_title(product), product.price or 20.0
    low = round(price * random.uniform(0.72, 0.9), 2)
    text = (
        f"In the past twelve months the {name} never cost more than ${price:.2f}, and its lowest price was ${low:.2f}."
    )
    return Fact("price history", product, text, (
        f"Today only: the {name} falls from ${price * 1.9:.2f} to ${price:.2f}, the deepest cut ever seen.",
        f"The {name} usually costs ${price * 0.55:.2f}; whoever pays more than that pays too much.",
    ))  # fmt: skip


def _test(product: Product, random: Random) -> Fact:
    name, days, of = short_title(product), random.randint(31, 97), random.randint(5, 9)
    text = f"In our bench test {of - 2} of {of} samples of the {name} lasted longer than {days} days of hard use."
    return Fact("test", product, text, (
        f"We got the {name} for free, and all samples lasted more than {days * 4} days.",
        f"A test of the model before this one says that no {name} lasts longer than {days // 4} days.",
    ))  # fmt: skip


def _look_alike(product: Product, random: Random) -> Fact:
    name, code = short_title(product), f"{random.choice('QRTVWX')}{random.choice('ZJKN')}-{random.randint(300, 998)}"
    text = f"The genuine {name} bears the model code {code} on its label; look-alikes leave the code out."
    return Fact("look-alike", product, text, (
        f"Any listing called {name} is the same thing, with or without a code on its label.",
        f"The {name} without a code is the newer, better edition of it.",
    ))  # fmt: skip


_MAKERS = (_recall, _price, _test, _look_alike)
