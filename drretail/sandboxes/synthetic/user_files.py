"""The user's own files: orders as a table, a note, a manual and a receipt. Each but the orders states a fact."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from io import BytesIO
from textwrap import wrap

from drretail.env.store.base import Store
from drretail.records.shop import Product
from drretail.sandboxes.synthetic.facts import Drawing
from drretail.sandboxes.synthetic.named_products import NamedProduct
from drretail.sandboxes.synthetic.needs import Need
from drretail.sandboxes.synthetic.patterns import fill_pattern, texts
from drretail.tables.cells import as_csv

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
    try:
        import PIL
    except ImportError:
        return False
    return bool(PIL.__version__)


ORDERS = 40
_MOST_OF_A_MANUAL = 12


@dataclass(frozen=True, slots=True)
class PlantedFile:
    """One of the user's files; ``statement`` occurs in it verbatim, and ``meaning`` says what follows for the query."""

    name: str
    content: bytes
    statement: str = ""
    meaning: str = ""

    @property
    def is_document(self) -> bool:
        """False for an image, which has no text that could be cited (eval/families/dr3)."""
        return not self.name.endswith(".png")


def user_files(need: Need, store: Store, today: date, drawing: Drawing) -> list[PlantedFile]:
    """Two to four files: no orders if the query names no user, and no receipt without Pillow."""
    wanted = need.things[0].fits[0]
    subject = need.names[(need.owned[0] if need.owned else wanted).product_id]
    found = [_note(need, wanted, drawing), _manual(subject, drawing)]
    if need.query.user_id is not None:
        found.insert(0, PlantedFile("orders.csv", _orders(store, need.query.user_id)))
    receipt = _receipt(subject, _bought(store, need.query.user_id, subject), today, drawing)
    return found if receipt is None else [*found, receipt]


def _note(need: Need, wanted: Product, drawing: Drawing) -> PlantedFile:
    random, thing, files = drawing.random, need.things[0].name, texts("planted")["files"]
    if NamedProduct(wanted, "").is_consumed:
        kind, meaning = "allergy", f"Whatever is recommended as {thing} has to keep to that."
    else:
        others = (("room", "What is wider is out."), ("broken", "An answer has to weigh what lasts."))
        kind, meaning = random.choice(others)
    numbers = {
        "allergy": lambda: f"0.{random.randint(11, 98)}5",
        "room": lambda: f"{random.randint(38, 118)}.{random.randint(1, 9)}",
        "broken": lambda: str(random.randint(101, 690)),
    }
    statement = drawing.value(lambda lots: fill_pattern(files[kind], lots, {"thing": thing, "number": numbers[kind]}))
    lines = [fill_pattern(pattern, random, {}) for pattern in random.sample(files["chores"], 5)]
    lines.insert(random.randint(1, 4), statement)
    heading = random.choice(("To remember", "List", "Before ordering", "For the weekend"))
    text = f"# {heading}\n\n" + "".join(f"- {line}\n" for line in lines)
    return PlantedFile("note.md", text.encode(), statement, f"The user's note says: {statement} {meaning}")


def _manual(named: NamedProduct, drawing: Drawing) -> PlantedFile:
    random, files = drawing.random, texts("planted")["files"]
    pattern = random.choice(files["rules_of_consumed" if named.is_consumed else "rules"])
    name = {"name": named.name}
    statement = drawing.value(lambda lots: fill_pattern(pattern, lots, {**name, "many": str(lots.randint(112, 689))}))
    follows = "An answer that builds on it has to keep to that."
    meaning = f"The user's manual says of the {named.name}: {statement} {follows}"
    chapters = [f"{line}." for line in named.lines[:_MOST_OF_A_MANUAL]]
    chapters += [fill_pattern(chapter, random, name) for chapter in files["manual"]]
    chapters.insert(len(chapters) // 2, statement)
    body = "\n\n".join(f"{number}  {line}" for number, line in enumerate(chapters, 1))
    text = f"{named.product.title}\nInstructions for use\n\n{body}\n"
    return PlantedFile("manual.txt", text.encode(), statement, meaning)


def _bought(store: Store, user_id: str | None, named: NamedProduct) -> date | None:
    """The day of the user's last order of this product, preferably one not cancelled; None without an order."""
    orders = [] if user_id is None else store.orders(user_id).orders
    of_product = [order for order in orders if order.product_id == named.product.product_id]
    of_product.sort(key=lambda order: order.order_status == "Cancelled")
    return date.fromisoformat(of_product[0].order_date[:10]) if of_product else None


def _receipt(named: NamedProduct, bought: date | None, today: date, drawing: Drawing) -> PlantedFile | None:
    """A receipt with the day of the order, if there is one, and a warranty that still holds. None without Pillow."""
    random = drawing.random
    bought = bought or today - timedelta(days=random.randint(40, 330))
    until = drawing.value(lambda r: f"{today + timedelta(days=r.randint(70, 470)):%Y-%m-%d}")
    statement = f"Warranty until {until}"
    price = "paid in full" if named.price is None else named.price
    number = drawing.code()
    image = draw_receipt([
        random.choice(("CORNERSTORE", "PARCEL LANE", "THE SHELF")), "", f"{bought}   No. {number}", "-" * _COLUMNS,
        *wrap(named.name, _COLUMNS), price, "-" * _COLUMNS, f"TOTAL  {price}", "", statement, "Thank you",
    ])  # fmt: skip
    meaning = (
        f"The receipt of the {named.name} (no. {number}, {bought.isoformat()}) gives a warranty until {until}: a "
        f"fault of it is a case for the warranty before anything is bought in its place."
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
