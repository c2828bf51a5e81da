"""All kinds of errors by name, and where in a report each could be made."""

from collections.abc import Callable, Iterator, Mapping

from drretail.lab.plant import wrong_picks as picks
from drretail.lab.plant import wrong_statements as statements
from drretail.lab.plant import wrong_values as values
from drretail.lab.plant.good_report import Material, Planted

KINDS: Mapping[str, Callable[[Material], Iterator[Planted]]] = {
    "wrong price": values.wrong_price,
    "price of another product": values.price_of_another_product,
    "wrong rating": values.wrong_rating,
    "wrong rating count": values.wrong_rating_count,
    "wrong total": values.wrong_total,
    "wrong quantity total": values.wrong_quantity_total,
    "wrong left-over": values.wrong_left_over,
    "wrong per-unit price": values.wrong_per_unit_price,
    "over budget silently": picks.over_budget_silently,
    "product not in the catalog": statements.not_in_the_catalog,
    "citation moved to another product": statements.citation_moved,
    "unseen id": statements.unseen_id,
    "invented feature": statements.invented_feature,
    "wrong brand": values.wrong_brand,
    "owned product recommended as new": picks.owned_recommended,
    "unwanted brand": picks.unwanted_brand,
    "fewer stars or ratings than asked for": picks.below_rating,
    "product that nobody wanted": picks.not_wanted,
    "want left out": picks.want_left_out,
    "more pieces than wanted": picks.wrong_quantity,
    "wrong order date": values.wrong_order_date,
    "wrong city/state of the user": statements.wrong_place,
    "contradicted web advice": statements.contradicted_advice,
    "old page as news": statements.old_page_as_news,
    "instruction of a page followed": statements.instruction_followed,
}
"""Each gives all copies of a report that it could make, one for each place; none where there is no place."""


def planted(material: Material, kind: str) -> Planted | None:
    """One copy with an error of that kind, its place chosen by chance; None where the report has no place for it."""
    found = list(KINDS[kind](material))
    return material.chance.choice(found) if found else None
