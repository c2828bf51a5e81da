"""The facts planted for a query, which decide between its fits, the traps that contradict them, and the user's own
files: orders as a table, a note and a manual. Each but the orders states a fact. Their texts are data (planted.toml).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from drretail.addons.sandboxes.synthetic.needs import SandboxNeed, subjects_of
from drretail.addons.sandboxes.synthetic.pages import Subject, fill, texts
from drretail.env.store.base import Store
from drretail.records.shop import Product
from drretail.reports.text.wording import format_money, listed
from drretail.viewer.drawing.table import as_csv

FEW = ("2", "3", "4", "5", "6", "7", "8", "9")


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact about a product that holds in this task, and what follows from it for the query."""

    form: Mapping[str, Any]
    """Its table in planted.toml: its kind, what it establishes, the kinds of pages that it stands on, and its traps."""
    thing: str
    product: Product
    text: str
    """Verbatim as in its page."""
    meaning: str
    slots: Mapping[str, str]

    def trap(self, number: int, random: Random, insight: str) -> tuple[str, str, str]:
        """Kind, text and reason of the trap with that number; kinds take turns, and the wording is drawn anew."""
        planted, traps = texts("planted"), self.form["traps"]
        kind = [*traps][number % len(traps)]
        text = fill(f"{random.choice(planted['leads'][kind])} {traps[kind]}", random, {**self.slots, "few": FEW})
        reason = f"Contradicts {insight} ({self.form['kind']} of the {self.slots['name']}): {planted['why'][kind]}."
        return kind, text, reason


def planted_facts(need: SandboxNeed, subjects: Mapping[str, Subject], today: date, random: Random) -> list[PlantedFact]:
    """The facts of all things, thing by thing: five for a single thing, fewer per thing for several.

    Up to two fits of a thing are ruled out: one is recalled, one fails the demand. The others are told apart. A query
    that the shop can meet can still be met.
    """
    most = {1: 6, 2: 4, 3: 3}.get(len(need.things), 2)
    facts: list[PlantedFact] = []
    lost: list[Product] = []
    for thing in need.things:
        left = [*thing.fits]
        recalled = left.pop(0) if len(left) > 1 and need.can_lose([*lost, left[0]]) else None
        lost += [recalled] if recalled else []
        # left[0] stays: the facts that support a product are about it.
        failing = left.pop(1) if len(left) > 2 and thing.claim and need.can_lose([*lost, left[1]]) else None
        lost += [failing] if failing else []
        priced = [fit for fit in left if fit.price and not fit.price_from]
        names = [f"the {subjects[fit.product_id].name}" for fit in left]
        stay = listed([*names[:3], f"{len(names) - 3} others"] if len(names) > 4 else names)
        slots = {
            "fit": "fits what is asked for" if thing.want else f"is among the most popular of {thing.name}",
            "those": "of the fits" if thing.want else f"of the popular {thing.name}",
            "stay": f"{stay} {'stay' if len(names) > 1 else 'stays'}",
            "claim": thing.claim or "",
            "other": subjects[left[1].product_id].name if len(left) > 1 else "nameless copy of it",
        }
        planned = [
            ("recall", recalled),
            ("failed", failing),
            ("proved" if thing.claim else "wear", left[0]),
            ("price_history", priced[-1] if priced else None),
            ("genuine", left[0]),
            ("price", priced[0] if len(priced) > 1 else None),
        ]
        about = [(name, product) for name, product in planned if product is not None]
        facts += [
            _fact(name, thing.name, product, {**slots, **subjects[product.product_id].slots}, today, random)
            for name, product in about[:most]
        ]
    return facts


def _fact(
    name: str, thing: str, product: Product, slots: Mapping[str, str], today: date, random: Random
) -> PlantedFact:
    """The fact of that name in planted.toml, with the values that it draws."""
    form, planted = texts("planted")["facts"][name], texts("planted")
    drawn = {slot: _code(random) for slot in form.get("codes", ())}
    drawn |= {slot: str(random.randint(*ends)) for slot, ends in form.get("counts", {}).items()}
    for slot, ends in form.get("days", {}).items():
        day = today - timedelta(days=random.randint(*ends))
        drawn[slot] = f"{day:%B} {day.day}, {day.year}"
    for slot, shares in form.get("prices", {}).items():
        drawn[slot] = format_money((product.price or 0.0) * random.uniform(*shares), product.currency)
    whole = {**slots, **drawn, "cause": random.choice(planted["slots"]["cause"])}
    text = fill(random.choice(form["said"]), random, whole)
    return PlantedFact(form, thing, product, text, fill(form["meaning"], random, whole), whole)


def _code(random: Random) -> str:
    return f"{random.choice('BCDFGHKLMQRTVWX')}{random.choice('ZJKNPS')}-{random.randint(1200, 9899)}"


ORDERS = 40
_LINES = 6
"""Lines of a file that are drawn besides the planted one, and that a manual has of its product."""


@dataclass(frozen=True, slots=True)
class PlantedFile:
    """One of the user's files; ``statement`` occurs in it verbatim, and ``meaning`` says what follows for the query."""

    name: str
    content: bytes
    statement: str = ""
    meaning: str = ""


def user_files(need: SandboxNeed, store: Store, random: Random) -> list[PlantedFile]:
    """Two or three files: no orders if the query names no user."""
    owned = need.owned[0] if need.owned else need.things[0].fits[0]
    files = [
        _file("note.md", need.things[0].name, (), random),
        _file("manual.txt", owned.title, subjects_of([owned])[owned.product_id].lines[:_LINES], random),
    ]
    if need.query.user_id is not None:
        files.insert(0, PlantedFile("orders.csv", _orders(store, need.query.user_id)))
    return files


def _file(file: str, about: str, of_product: Sequence[str], random: Random) -> PlantedFile:
    """A file with one sentence with a value that nobody can guess, and other lines."""
    files: dict[str, Any] = texts("planted")["files"]
    form, slots = files[file], {**files["slots"], "name": about, "thing": about, "code": _code(random)}
    rule, follows = random.choice(form["rules"])
    statement = fill(rule, random, slots)
    drawn = random.sample(form["lines"], min(_LINES, len(form["lines"])))
    lines = [*(f"{line}." for line in of_product), *(fill(line, random, slots) for line in drawn)]
    lines.insert(len(lines) // 2, statement)
    text = fill(form["start"], random, slots) + "".join(form["line"].replace("<line>", line) for line in lines)
    return PlantedFile(file, text.encode(), statement, f"{fill(form['says'], random, slots)} {statement} {follows}")


def _orders(store: Store, user_id: str) -> bytes:
    orders = store.orders(user_id, limit=ORDERS).orders
    products = store.products([order.product_id for order in orders])
    rows: list[Sequence[str]] = [("date", "order", "product", "quantity", "status")]
    for order in orders:
        product = products.get(order.product_id)
        title = order.product_id if product is None else product.title
        rows.append((order.order_date[:10], order.order_id, title, str(order.quantity), order.order_status))
    return as_csv(rows)
