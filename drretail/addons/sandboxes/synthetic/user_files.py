"""The user's own files: orders as a table, a note, a manual and a receipt. Each but the orders states a fact."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from importlib.util import find_spec
from io import BytesIO
from random import Random
from textwrap import wrap

from drretail.addons.sandboxes.synthetic.facts import Drawing
from drretail.addons.sandboxes.synthetic.named_products import NamedProduct
from drretail.addons.sandboxes.synthetic.needs import Need
from drretail.addons.sandboxes.synthetic.patterns import fill_pattern, texts
from drretail.env.store.base import Store
from drretail.records.tables.sheets import as_csv

_WIDTH, _MARGIN, _LINE, _SIZE = 420, 24, 26, 18
_COLUMNS = 38
WITHOUT_PILLOW = "No receipts are drawn: they take Pillow, which drretail[sandbox] installs."


def draw_receipt(rows: Sequence[str]) -> bytes | None:
    """The receipt as a PNG, the same bytes for the same rows and version of Pillow; None without Pillow."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        return None
    image = Image.new("L", (_WIDTH, 2 * _MARGIN + _LINE * len(rows)), 246)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(_SIZE)
    for number, row in enumerate(rows):
        draw.text((_MARGIN, _MARGIN + number * _LINE), row, fill=24, font=font)
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def can_draw() -> bool:
    """True if Pillow is installed."""
    return find_spec("PIL") is not None


ORDERS = 40
_MOST_OF_A_MANUAL = 12
_MARKS = re.compile(r"^\W+")


@dataclass(frozen=True, slots=True)
class PlantedFile:
    """One of the user's files; ``statement`` occurs in it verbatim, and ``meaning`` says what follows for the query."""

    name: str
    content: bytes
    statement: str = ""
    meaning: str = ""

    @property
    def is_document(self) -> bool:
        """False for an image, which has no text that could be cited (metric dr3)."""
        return not self.name.endswith(".png")


def user_files(need: Need, store: Store, today: date, drawing: Drawing) -> list[PlantedFile]:
    """Two to four files: no orders if the query names no user, and no receipt without Pillow."""
    subject = need.names[(need.owned[0] if need.owned else need.things[0].fits[0]).product_id]
    files = [_note(need.things[0].name, drawing), _manual(subject, drawing)]
    if need.query.user_id is not None:
        files.insert(0, PlantedFile("orders.csv", _orders(store, need.query.user_id)))
    receipt = _receipt(subject, _bought(store, need.query.user_id, subject), today, drawing)
    return files if receipt is None else [*files, receipt]


def _note(thing: str, drawing: Drawing) -> PlantedFile:
    random, files = drawing.random, texts("planted")["files"]
    statement, follows = _planted(files["reminders"], drawing, thing)
    lines = [fill_pattern(pattern, random, {}) for pattern in random.sample(files["chores"], 5)]
    lines.insert(random.randint(1, 4), statement)
    heading = random.choice(("To remember", "List", "Before ordering", "For the weekend"))
    text = f"# {heading}\n\n" + "".join(f"- {line}\n" for line in lines)
    return PlantedFile("note.md", text.encode(), statement, f"The user's note says: {statement} {follows}")


def _manual(named: NamedProduct, drawing: Drawing) -> PlantedFile:
    random, files = drawing.random, texts("planted")["files"]
    statement, follows = _planted(files["rules"], drawing, named.name)
    meaning = f"The user's manual of the {named.name} says: {statement} {follows}"
    # A description speaks of the listing, and marks before a feature are a web page's.
    features = replace(named, product=named.product.model_copy(update={"description": ()})).lines
    chapters = [f"{_MARKS.sub('', line)}." for line in features[:_MOST_OF_A_MANUAL]]
    chapters += [fill_pattern(chapter, random, {}) for chapter in files["manual"]]
    chapters.insert(len(chapters) // 2, statement)
    body = "\n\n".join(f"{number}  {line}" for number, line in enumerate(chapters, 1))
    text = f"{named.product.title}\nProduct information\n\n{body}\n"
    return PlantedFile("manual.txt", text.encode(), statement, meaning)


def _planted(rules: Sequence[tuple[str, str]], drawing: Drawing, thing: str) -> tuple[str, str]:
    """A sentence with a value that nobody can guess, and what follows from it."""
    pattern, follows = drawing.random.choice(rules)

    def drawn(lots: Random) -> str:
        slots = {
            "thing": thing,
            "code": drawing.code,
            "days": str(lots.choice((10, 14, 20, 21, 28, 30, 45, 60, 90))),
            "percent": str(lots.randint(3, 9)),
            "amount": f"${lots.randint(3, 14)}.{lots.choice((25, 40, 50, 75, 80))}",
            "room": str(lots.randint(102, 489)),
        }
        return fill_pattern(pattern, lots, slots)

    return drawing.value(drawn), follows


def _bought(store: Store, user_id: str | None, named: NamedProduct) -> date | None:
    """The day of the user's last order of this product, preferably one not cancelled; None without an order."""
    orders = [] if user_id is None else store.orders(user_id).orders
    of_product = [order for order in orders if order.product_id == named.product.product_id]
    of_product.sort(key=lambda order: order.order_status == "Cancelled")
    return date.fromisoformat(of_product[0].order_date[:10]) if of_product else None


def _receipt(named: NamedProduct, bought: date | None, today: date, drawing: Drawing) -> PlantedFile | None:
    """A receipt with the day of the order, if there is one, and a guarantee that still holds. None without Pillow."""
    random = drawing.random
    bought = bought or today - timedelta(days=random.randint(40, 330))
    until = drawing.value(lambda r: f"{today + timedelta(days=r.randint(70, 470)):%Y-%m-%d}")
    statement = f"Satisfaction guarantee until {until}"
    price = "paid in full" if named.price is None else named.price
    number = drawing.code()
    image = draw_receipt([
        random.choice(("CORNERSTORE", "PARCEL LANE", "THE SHELF")), "", f"{bought}   No. {number}", "-" * _COLUMNS,
        *wrap(named.name, _COLUMNS), price, "-" * _COLUMNS, f"TOTAL  {price}", "", statement, "Thank you",
    ])  # fmt: skip
    meaning = (
        f"The receipt of the {named.name} (no. {number}, {bought.isoformat()}) gives a guarantee until {until}: a "
        f"fault of it is a case for the guarantee before anything is bought in its place."
    )
    return None if image is None else PlantedFile("receipt.png", image, statement, meaning)


def _orders(store: Store, user_id: str) -> bytes:
    orders = store.orders(user_id, limit=ORDERS).orders
    products = store.products([order.product_id for order in orders])
    rows: list[Sequence[str]] = [("date", "order", "product", "quantity", "status")]
    for order in orders:
        product = products.get(order.product_id)
        title = order.product_id if product is None else product.title
        rows.append((order.order_date[:10], order.order_id, title, str(order.quantity), order.order_status))
    return as_csv(rows)
