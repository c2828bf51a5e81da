"""Where a pick stands among all that match, in the words that fit its case."""

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.need import names_thing
from drretail.llm.offline.shopper.report.naming import FEW_RATINGS, Names, cite, rating_text, stars
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import first_upper, joined, number_text, plural

SMALL_GAP = 0.2
"""Between two averages that say nearly the same."""


def standing(study: Study, index: int, pick: Option, names: Names) -> str:
    """One sentence: cheapest, best rated, both, or why a better rated one was passed over."""
    shelf, product = study.shelves[index], pick.product
    others = [option for option in shelf.rivals if option.product.product_id != product.product_id]
    rivals = [option.product for option in others]
    evidence = cite(product.evidence)
    if not rivals:
        return _alone(study, index, product)
    best = max(others, key=lambda rival: (rival.product.strength, rival.product.product_id))
    strongest, against = best.product, _against(study, index, pick, best)
    prices = [rival.price for rival in rivals if rival.price is not None]
    cheapest = product.price is not None and bool(prices) and product.price < min(prices)
    least = "cheaper" if len(rivals) == 1 else "cheapest"
    group = f"the {number_text(len(rivals) + 1)} {plural(shelf.need.thing)} I compared"
    if product.strength < strongest.strength:
        runner_up = study.runner_up(index)
        if runner_up is not None and runner_up.product is strongest:
            # The next paragraph compares the two in numbers.
            if cheapest:
                return f"It is the {least} of {group}{_why_cheapest(pick, strongest, against)} {evidence}."
            stronger = sum(rival.strength > product.strength for rival in rivals)
            if stronger > 1:
                why = _why_not_stronger(pick, strongest, against)
                return f"Of {group} the runner-up has the strongest rating{why} {evidence}."
            more = "has as good a rating from more people" if _same_rating(strongest, product) else "is rated higher"
            return f"Of {group} only the runner-up {more}{_why_not_stronger(pick, strongest, against)} {evidence}."
        if cheapest:
            which = (
                "the one with the most behind the same rating" if _same_rating(strongest, product) else "the best rated"
            )
            why = _why_cheapest(pick, strongest, against)
            return f"It is the {least} of {group}{why}; {which} of them, the {_dearer(strongest, product, names)}."
        return f"{_passed_over(pick, strongest, names, against)} {cite(product.evidence, strongest.evidence)}."
    if cheapest:
        return f"Of {group} it is both the {least} and the most strongly rated {evidence}."
    if product.ratings <= FEW_RATINGS or product.rating is None:
        return f"Few of {group} have been rated often; among them this one reads best {evidence}."
    return f"{_strongest(index, product, rivals, group)} {evidence}."


def _against(study: Study, index: int, pick: Option, best: Option) -> str | None:
    """What speaks against the most strongly rated, beyond its price."""
    demands, need = study.demands, study.needs[index]
    named = [f"“{it}”" for it in demands.complaints if it in best.product.title_stems]
    if named and not any(it in pick.product.title_stems for it in demands.complaints):
        return f"its title names {joined(named)}, which annoys you"
    if len(pick.met) > len(best.met):
        return (
            "its record says less of what you ask for"
            if best.product.opened
            else "its title says less of what you ask for"
        )
    if demands.is_for_another_pet(best.product) and not demands.is_for_another_pet(pick.product):
        return f"it is not made for {joined([f'{pet}s' for pet in demands.pets])}"
    return "its title fits your words less" if best.relevance < pick.relevance - 0.1 and not need.guessed else None


def _same_rating(one: Candidate, other: Candidate) -> bool:
    return one.rating is not None and other.rating is not None and stars(one.rating) == stars(other.rating)


def _why_cheapest(pick: Option, strongest: Candidate, against: str | None) -> str:
    """Why the cheapest was taken, although another is rated more strongly."""
    if against:
        return f"; the best rated falls behind: {against}"
    if _same_rating(strongest, pick.product):
        return ", with a rating as high as the best"
    gap = (strongest.rating or 0) - (pick.product.rating or 0)
    if gap < 0:  # its own rating is higher, from fewer people
        return ", and rated no lower than the others"
    return (
        ", and rated only a little below the best"
        if gap <= SMALL_GAP
        else ", which I weighed more than the best rating"
    )


def _why_not_stronger(pick: Option, strongest: Candidate, against: str | None) -> str:
    """What the pick has over the one that is rated more strongly, where the figures do not show it."""
    if against:
        return f", but {against}"
    if strongest.price is None and pick.product.price is not None:
        return ", but lists no price"
    cheaper = strongest.price is not None and pick.product.price is not None and strongest.price > pick.product.price
    return ", but costs more" if cheaper else ", but fits your words less"


def _alone(study: Study, index: int, product: Candidate) -> str:
    """Why there is nothing to compare; "the only one" solely where no other title so much as names the thing."""
    shelf, evidence = study.shelves[index], cite(product.evidence)
    thing = shelf.need.thing
    if shelf.ruled_out:
        return (
            f"It is the only {thing} left beside what I ruled out, so there was nothing to weigh it against {evidence}."
        )
    others = [other for other in study.seen if other != product and names_thing(shelf.need, other.title)]
    if not others:
        return f"It is the only {thing} I found, so there was nothing to weigh it against {evidence}."
    also = f"{first_upper(number_text(len(others)))} other title{'' if len(others) == 1 else 's'}"
    it = f"{also} that I saw name{'s' if len(others) == 1 else ''} such a thing, but not clearly as what is sold"
    return f"{it}, so I had nothing to weigh it against {cite(product.evidence, *(o.evidence for o in others[:2]))}."


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


def _passed_over(pick: Option, strongest: Candidate, names: Names, against: str | None) -> str:
    product = pick.product
    rating = f" ({stars(strongest.rating)} out of 5)" if strongest.rating is not None else ""
    rated = f"The {names.of(strongest)} is rated higher{rating}"
    if (strongest.rating is not None and (product.rating or 0) >= strongest.rating) or _same_rating(strongest, product):
        rated = f"The {names.of(strongest)} has {strongest.ratings:,} ratings where this one has {product.ratings:,}"
    if against:
        return f"{rated}, but {against}"
    if strongest.price is None and product.price is not None:
        return f"{rated}, but lists no price"
    if product.price is not None and strongest.price is not None and strongest.price > product.price:
        return f"{rated}, but costs {format_money(strongest.price - product.price)} more"
    return f"{rated}, yet this one is nearer to what you describe"
