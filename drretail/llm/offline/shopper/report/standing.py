"""Where a pick stands among all that match, in the words that fit its case."""

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.report.naming import FEW_RATINGS, Names, cite, rating_text, stars
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import number_text, plural


def standing(study: Study, index: int, pick: Option, names: Names) -> str:
    """One sentence: cheapest, best rated, both, or why a better rated one was passed over."""
    shelf, product = study.shelves[index], pick.product
    rivals = [option.product for option in shelf.rivals if option.product.product_id != product.product_id]
    evidence = cite(product.evidence)
    if not rivals:
        return f"It is the only {shelf.need.thing} I found, so there was nothing to weigh it against {evidence}."
    strongest = max(rivals, key=lambda rival: (rival.strength, rival.product_id))
    prices = [rival.price for rival in rivals if rival.price is not None]
    cheapest = product.price is not None and bool(prices) and product.price < min(prices)
    least = "cheaper" if len(rivals) == 1 else "cheapest"
    group = f"the {number_text(len(rivals) + 1)} {plural(shelf.need.thing)} I compared"
    if product.strength < strongest.strength:
        runner_up = study.runner_up(index)
        if runner_up is not None and runner_up.product is strongest:
            # The next paragraph compares the two in numbers.
            return (
                f"It is the {least} of {group} {evidence}."
                if cheapest
                else f"Of {group} only the runner-up is rated more strongly {evidence}."
            )
        if cheapest:
            return f"It is the {least} of {group}; the best rated of them, the {_dearer(strongest, product, names)}."
        return f"{_passed_over(pick, strongest, names)} {cite(product.evidence, strongest.evidence)}."
    if cheapest:
        return f"Of {group} it is both the {least} and the most strongly rated {evidence}."
    if product.ratings <= FEW_RATINGS or product.rating is None:
        return f"Few of {group} have been rated often; among them this one reads best {evidence}."
    return f"{_strongest(index, product, rivals, group)} {evidence}."


def _dearer(strongest: Candidate, product: Candidate, names: Names) -> str:
    more = (strongest.price or 0) - (product.price or 0)
    price = f"costs {format_money(more)} more" if strongest.price is not None else "has no listed price"
    return f"{names.of(strongest)}, {price} {cite(strongest.evidence, product.evidence)}"


def _strongest(index: int, product: Candidate, rivals: list[Candidate], group: str) -> str:
    rated = rating_text(product)
    most = max(rival.ratings for rival in rivals)
    best = max((rival.rating or 0) for rival in rivals)
    if product.ratings > most and (product.rating or 0) >= best:
        return f"Both its rating and the number of people behind it, {rated}, lead {group}"
    if product.ratings > most:
        return f"It is the most rated of {group}, {rated}"
    # The same judgement in other words for every other need, since a report may hold several.
    if index % 2:
        return f"With {rated} it comes out ahead of {group[4:] if len(rivals) > 1 else 'the other one'}"
    return f"At {rated} it has the strongest standing of {group}"


def _passed_over(pick: Option, strongest: Candidate, names: Names) -> str:
    product = pick.product
    rating = f" ({stars(strongest.rating)} out of 5)" if strongest.rating is not None else ""
    rated = f"The {names.of(strongest)} is rated more strongly{rating}"
    if pick.met:
        return f"{rated}, but its record says less of what you asked for"
    if strongest.price is None and product.price is not None:
        return f"{rated}, but lists no price"
    if product.price is not None and strongest.price is not None and strongest.price > product.price:
        return f"{rated}, but costs {format_money(strongest.price - product.price)} more"
    return f"{rated}, yet this one is nearer to what you describe"
