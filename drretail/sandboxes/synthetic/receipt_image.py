"""A till receipt as a picture, where Pillow is there to draw it."""

from dataclasses import dataclass
from io import BytesIO
from textwrap import wrap

_WIDTH, _MARGIN, _LINE, _SIZE = 420, 24, 26, 18
_COLUMNS = 38
WITHOUT_PILLOW = "No receipts are drawn: they take Pillow, which drretail[sandbox] installs."


@dataclass(frozen=True, slots=True)
class Receipt:
    shop: str
    number: str
    day: str
    line: str
    price: str
    last: str


def draw_receipt(receipt: Receipt) -> bytes | None:
    """A PNG, the same bytes for the same receipt and version of Pillow; None without Pillow."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        return None
    rows = [
        receipt.shop, "", f"{receipt.day}   No. {receipt.number}", "-" * _COLUMNS, *wrap(receipt.line, _COLUMNS),
        receipt.price, "-" * _COLUMNS, f"TOTAL  {receipt.price}", "", receipt.last, "Thank you",
    ]  # fmt: skip
    image = Image.new("L", (_WIDTH, 2 * _MARGIN + _LINE * len(rows)), 246)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(_SIZE)
    for number, row in enumerate(rows):
        draw.text((_MARGIN, _MARGIN + number * _LINE), row, fill=24, font=font)
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def can_draw() -> bool:
    """True where Pillow is installed."""
    try:
        import PIL
    except ImportError:
        return False
    return bool(PIL.__version__)
