"""What else was weighed for each need, where several researchers brought more than the picks and their runners-up."""

from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.report.naming import Names, cite, price_text, stars
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import first_upper

MOST_PER_NEED = 3


def weighed_section(study: Study, names: Names) -> list[str]:
    """A table of the next best for every need; nothing for one need, whose table shows them beside the pick."""
    if not study.situation.relayed or len(study.needs) < 2:
        return []
    rows = [
        f"| {first_upper(shelf.need.name)} | {_row(option, names)} |"
        for index, shelf in enumerate(study.shelves)
        for option in _others(study, index)
    ]
    if not rows:
        return []
    head = ["| For | Product | Price | Rating | Ratings |", f"|{'---|' * 5}"]
    return ["## What else I weighed", "\n".join([*head, *rows])]


def _others(study: Study, index: int) -> list[Option]:
    """The runner-up first, then by score."""
    pick, runner_up = study.basket.picks[index], study.runner_up(index)
    if pick is None:
        return []
    chosen = {option.product.product_id for option in study.basket.picks if option}
    rest = [option for option in study.shelves[index].rivals if option.product.product_id not in chosen]
    ordered = [*([runner_up] if runner_up else []), *(option for option in rest if option is not runner_up)]
    return ordered[:MOST_PER_NEED]


def _row(option: Option, names: Names) -> str:
    product = option.product
    rating = "none" if product.rating is None else stars(product.rating)
    name = f"{names.of(product).replace('|', '/')} {cite(product.evidence)}"
    return " | ".join([name, price_text(product), rating, f"{product.ratings:,}"])
