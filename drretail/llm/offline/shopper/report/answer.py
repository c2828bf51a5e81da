"""The title and the short answer: what to get, what it costs in all, and how that stands to the budget."""

from decimal import Decimal

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.missing import NO_SHOP, NO_WEB
from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.report.naming import Names, amount_text, cite, price_text, rating_text
from drretail.llm.offline.shopper.report.silence import where_not
from drretail.llm.offline.shopper.situation import SEARCH, WEB
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.sums import computed, sums_of
from drretail.llm.offline.shopper.words import first_upper, joined, number_text, plural
from drretail.records.money import USD

NOTHING_RECOGNISED = "# I could not tell what you want to buy"


def title(study: Study) -> str:
    if study.from_orders:
        return "# What could come next"
    if not study.needs:
        return "# What I found for you" if study.questions else NOTHING_RECOGNISED
    limits = study.limits
    if limits.total is not None:
        limit = f" for up to {amount_text(limits.total)}"
    else:
        each = "" if study.one_of else " each"
        limit = f" {'for' if study.one_of else 'at'} up to {amount_text(limits.each)}{each}" if limits.each else ""
    things = first_upper(joined([need.counted for need in study.needs], last="or" if study.one_of else "and"))
    if study.needs[0].guessed:
        known = any(shelf.rivals or shelf.ruled_out for shelf in study.shelves)
        return f"# Looking for “{study.needs[0].name}”" if known else NOTHING_RECOGNISED
    return f"# {things}{limit}"


def short_answer(study: Study, names: Names) -> list[str]:
    """One or two paragraphs."""
    if not study.needs:
        return [_without_needs(study)]
    pairs = list(zip(study.needs, study.basket.picks, strict=True))
    chosen = [(need, pick) for need, pick in pairs if pick is not None]
    missing = [why_nothing(study, index, names) for index, (_, pick) in enumerate(pairs) if pick is None]
    missing = [sentence for sentence in [*missing, nothing_at_all(study)] if sentence]
    # What cannot be had is what a shopper must know first.
    paragraphs = [" ".join(missing)] if missing else []
    if study.from_orders and chosen:
        paragraphs.append("You did not name a thing, so I looked at what goes with your earlier orders.")
    if study.one_of and len(chosen) > 1:
        paragraphs.append(_which_one(study, chosen, names))
    elif chosen:
        sentences = [_what_to_get(chosen, names), *_insisted(study, chosen, names), *_money(study, chosen)]
        paragraphs.append(" ".join(sentences))
    if _foreign_budget(study):
        budget = study.constraints.budget
        assert budget is not None
        paragraphs.append(
            f"You gave your budget in {budget.currency}; the shop's prices are in US dollars and I have no exchange "
            "rate, so I have not held the prices against it."
        )
    return paragraphs


def _foreign_budget(study: Study) -> bool:
    budget = study.constraints.budget
    return budget is not None and budget.currency != USD


def _insisted(study: Study, chosen: list[tuple[Need, Option]], names: Names) -> list[str]:
    """For each pick what it was to be and does not say, right beside the recommendation."""
    sentences: list[str] = []
    for need, pick in chosen:
        missing = [f"“{demand}”" for demand in pick.unmet if demand in study.demands.insisted(need)]
        if missing:
            of = "" if len(chosen) == 1 else f" (the {names.of(pick.product)})"
            where = where_not(pick, relayed=study.situation.relayed)
            asked = f"{joined(missing, last='or')}, which you insist on"
            sentences.append(f"{where} {asked}{of}: check that before you order {cite(pick.product.evidence)}.")
    return sentences


def _which_one(study: Study, chosen: list[tuple[Need, Option]], names: Names) -> str:
    """The best of the things that were weighed against each other, then the best of each of the others."""
    (need, pick), *others = sorted(chosen, key=lambda it: _standing_alone(it[1]))
    product = pick.product
    among = f"Of the {number_text(len(chosen))} I would go for {need.definite}"
    sentences = [
        f"{among}: the **{names.of(product)}**, {price_text(product)}, {rating_text(product)} {cite(product.evidence)}."
    ]
    sentences += [
        f"If you would rather have {other.counted}, take the **{names.of(option.product)}**, "
        f"{price_text(option.product)}, {rating_text(option.product)} {cite(option.product.evidence)}."
        for other, option in others
    ]
    priced = [option.product.evidence for _, option in chosen if option.product.price is not None]
    if study.limits.each is not None and len(priced) == len(chosen):
        each = "Either" if len(chosen) == 2 else "Any"
        sentences.append(f"{each} of them alone stays within your {amount_text(study.limits.each)} {cite(*priced)}.")
    sentences += _insisted(study, chosen, names)
    return " ".join([*sentences, _why_that_one(pick, [option for _, option in others])])


def _standing_alone(pick: Option) -> tuple[int, float, str]:
    """Orders picks of different kinds, whose scores, made within their kind, cannot be compared."""
    return len(pick.unmet), -pick.product.strength, pick.product.product_id


def _why_that_one(pick: Option, others: list[Option]) -> str:
    """The reason for the order, in words that say how little it is: only the listings were weighed."""
    degree = "stronger" if len(others) == 1 else "strongest"
    meets_more = any(len(pick.unmet) < len(other.unmet) for other in others)
    reason = "its record says more of what you ask for" if meets_more else f"its ratings are the {degree}"
    return f"I put it first because {reason}; which kind of thing serves you better no listing tells."


def _what_to_get(chosen: list[tuple[Need, Option]], names: Names) -> str:
    if len(chosen) == 1:
        need, pick = chosen[0]
        product = pick.product
        many = f"{number_text(need.quantity)} of the " if need.quantity > 1 else "the "
        price = "no price listed" if product.price is None else _piece_price(need, pick)
        return f"Get {many}**{names.of(product)}**: {price}, {rating_text(product)} {cite(product.evidence)}."
    items = [
        f"{f'{number_text(need.quantity)} of ' if need.quantity > 1 else ''}the **{names.of(pick.product)}** "
        f"({_piece_price(need, pick)}) {cite(pick.product.evidence)}"
        for need, pick in chosen
    ]
    return f"Get {joined(items)}."


def _piece_price(need: Need, pick: Option) -> str:
    return price_text(pick.product) + (" each" if need.quantity > 1 and pick.product.price is not None else "")


def _money(study: Study, chosen: list[tuple[Need, Option]]) -> list[str]:
    priced = [pick for _, pick in chosen if pick.product.price is not None]
    unpriced = len(chosen) - len(priced)
    sentences = [_total(study, priced)] if priced else []
    if unpriced and priced:
        one = unpriced == 1
        which = f"{first_upper(number_text(unpriced))} of them {'has' if one else 'have'}"
        sentences.append(f"{which} no listed price and {'is' if one else 'are'} not in that sum.")
    elif unpriced and (study.limits.total or study.limits.each):
        sentences.append("Without a price I cannot tell whether the budget holds: look it up before you order.")
    return [sentence for sentence in sentences if sentence]


def _total(study: Study, priced: list[Option]) -> str:
    limits, total = study.limits, study.basket.total
    sums = sums_of(study)
    sources = [pick.product.evidence for pick in priced]
    total_ids = cite(computed(study.situation, sums.total)) or cite(*sources)
    left_ids = cite(computed(study.situation, sums.left)) or total_ids
    whole = "In all" if len(priced) == 1 else "Together"
    if limits.total is not None:
        left = limits.total - total
        rest = "exactly your budget" if left == 0 else f"{format_money(left)} under your {amount_text(limits.total)}"
        if sums.total is None:
            return f"That is {rest} {left_ids}."
        return f"{whole} that is {format_money(total)} {total_ids}, {rest} {left_ids}."
    cost = f"{whole} that is {format_money(total)} {total_ids}." if sums.total else ""
    if limits.each is not None:
        each = "It stays" if len(priced) == 1 else "Each stays"
        apiece = "" if study.one_of else " apiece"
        return f"{each} within your {amount_text(limits.each)}{apiece} {cite(*sources)}. {cost}".strip()
    return cost


def why_nothing(study: Study, index: int, names: Names) -> str:
    """Says plainly that a need is not met, with the nearest miss and by how much it misses."""
    need, shelf = study.needs[index], study.shelves[index]
    most = study.limits.price_max(need)
    priced = sorted(
        (o for o in shelf.rivals if o.product.price is not None),
        key=lambda o: (o.product.price or 0, o.product.product_id),
    )
    if priced and most is not None:
        return _missed(study, need, priced[0], most, names)
    if shelf.ruled_out and not shelf.rivals:
        floors = study.demands.floors
        kept = f" that has {floors.text} and keeps your other terms" if floors else ""
        return (
            f"I can recommend no {need.name}{kept}: all that the shop showed me are ruled out, for the reasons below."
        )
    return ""


def nothing_at_all(study: Study) -> str:
    """One sentence about all needs of which nothing was found."""
    absent = [shelf.need for shelf in study.shelves if not shelf.rivals and not shelf.ruled_out]
    if not absent:
        return ""
    if study.situation.could_not(SEARCH):
        things = joined([need.name if need.guessed else need.counted for need in absent])
        return _blind(study, f"{NO_SHOP} for {things}")
    if study.situation.relayed and not absent[0].guessed:
        return f"The research brought no {joined([need.name for need in absent], last='or')} that the shop sells."
    if study.from_orders and not study.situation.made(SEARCH):
        things = joined([need.counted for need in absent])
        return f"You did not name a thing. Your earlier orders suggest {things}; I have not searched the shop for that."
    if not (study.situation.made(SEARCH) or study.situation.relayed):
        return f"I have not searched the shop for {joined([need.counted for need in absent])}."
    if not (study.situation.found(SEARCH) or study.situation.relayed):
        return f"The shop's search failed, so I have nothing on {joined([need.counted for need in absent])}."
    if absent[0].guessed:
        return (
            f"I recognised nothing to buy in your message. I searched the shop for “{absent[0].name}”, and no title "
            "that I was shown names such a thing. "
            "Tell me the thing, what it is for and what it may cost, and I will compare what there is."
        )
    things = joined([need.name for need in absent], last="or")
    return f"The shop showed me no {things}: no title that my searches brought sells one."


def _blind(study: Study, what: str) -> str:
    """That nobody could look, said of the web too where that is so."""
    if study.situation.could_not(WEB):
        return f"I {what}, nor look anything up on the web: there was no tool for either, so I recommend nothing."
    return f"I {what}, so I recommend nothing to buy."


def _missed(study: Study, need: Need, nearest: Option, most: Decimal, names: Names) -> str:
    product = nearest.product
    assert product.price is not None
    fits = "fit" if plural(need.name) == need.name else "fits"
    what = f"the **{names.of(product)}** at {price_text(product)} {cite(product.evidence)}"
    if product.price > most and study.limits.each is None and need.quantity > 1:
        over = format_money(product.price * need.quantity - (study.limits.total or 0))
        return f"No {need.name} {fits}: even the cheapest, {what}, is {over} over your budget for {need.quantity}."
    if product.price > most:
        over = format_money(product.price - most)
        return f"No {need.name} {fits} your {amount_text(most)}: the nearest is {what}, {over} over."
    left = (study.limits.total or Decimal(0)) - study.basket.total
    if product.price * need.quantity <= left:
        return f"I found no {need.name} beside what I chose for something else: {what} is the cheapest."
    over = format_money(product.price * need.quantity - left)
    return f"The budget does not also hold {need.counted}: the cheapest is {what}, {over} more than is left."


def _without_needs(study: Study) -> str:
    if study.questions and study.situation.could_not(WEB):
        return f"You ask for knowledge rather than for a product, and I {NO_WEB}: I know nothing of it by myself."
    if study.questions:
        return "You ask for knowledge rather than for a product, so I went to the web; I recommend nothing to buy."
    return (
        "I recognised nothing to buy in your message, so I have not searched. "
        "Name the thing, what it is for and what it may cost, and I will compare what there is."
    )
