"""The picks side by side, and the sum they make."""

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.report.naming import Names, amount_text, cite, price_text, stars
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.sums import sums_of

MOST_ROWS = 4


def table_section(study: Study, names: Names) -> list[str]:
    """A table of what was chosen (for one need: with what came next), then the arithmetic."""
    rows = _rows(study)
    if len(rows) < 2:
        return []
    many = any(need.quantity > 1 for need in study.needs)
    head = ["Product", *(["Pieces"] if many else []), "Price", "Rating", "Ratings"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for option, quantity in rows:
        product = option.product
        rating = "none" if product.rating is None else stars(product.rating)
        name = f"{names.of(product).replace('|', '/')} {cite(product.evidence)}"
        cells = [name, *([str(quantity)] if many else []), price_text(product), rating, f"{product.ratings:,}"]
        lines.append(f"| {' | '.join(cells)} |")
    if not any(study.basket.picks):
        return [
            "## What there is",
            "None of these fits as asked; they show what you would have to change.",
            "\n".join(lines),
        ]
    title = "## Side by side" if len(study.needs) == 1 or study.one_of else "## The list"
    return [title, "\n".join(lines), *_arithmetic(study)]


def _rows(study: Study) -> list[tuple[Option, int]]:
    if len(study.needs) == 1:
        pick, shelf = study.basket.picks[0], study.shelves[0]
        others = [option for option in shelf.options if option is not pick]
        if pick is None:
            others.sort(key=lambda o: (o.product.price is None, o.product.price or 0, o.product.product_id))
        return [(option, study.needs[0].quantity) for option in ([pick, *others] if pick else others)[:MOST_ROWS]]
    pairs = zip(study.needs, study.basket.picks, strict=True)
    return [(pick, need.quantity) for need, pick in pairs if pick is not None]


def _arithmetic(study: Study) -> list[str]:
    """The sum in figures; it was cited where it was named, so here only its terms stand with their rows above."""
    if sums_of(study).total is None:
        return []
    limits, basket = study.limits, study.basket
    terms = [
        f"{need.quantity} × {format_money(pick.product.price)}"
        if need.quantity > 1
        else format_money(pick.product.price)
        for need, pick in zip(study.needs, basket.picks, strict=True)
        if pick is not None and pick.product.price is not None
    ]
    line = f"{' + '.join(terms)} = {format_money(basket.total)}"
    if limits.total is not None:
        left = format_money(limits.total - basket.total)
        line += f"; {amount_text(limits.total)} − {format_money(basket.total)} = {left} left"
    return [f"{line}."]
