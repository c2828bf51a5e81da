"""One section for each need: why this product, what its record says, and what the runner-up offers instead."""

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.choosing import Option, Ruled, Shelf
from drretail.llm.offline.shopper.facts import key_facts, pieces_in
from drretail.llm.offline.shopper.kinds import EVERY_CUE
from drretail.llm.offline.shopper.report.naming import (
    FEW_RATINGS,
    Names,
    cite,
    counted,
    day_text,
    rating_text,
    stars,
)
from drretail.llm.offline.shopper.report.silence import where_not
from drretail.llm.offline.shopper.report.standing import standing
from drretail.llm.offline.shopper.report.tradeoff import runner_up_sentences
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.sums import computed, unit_expression
from drretail.llm.offline.shopper.wishes import says
from drretail.llm.offline.shopper.words import first_upper, joined, number_text, stems_of

MOST_RULED_OUT = 3


def pick_sections(study: Study, names: Names) -> list[str]:
    """Blocks of markdown; needs without a pick get a section only when something was ruled out."""
    blocks: list[str] = []
    for index, pick in enumerate(study.basket.picks):
        if pick is not None:
            blocks += _pick_section(study, index, pick, names)
        elif study.shelves[index].ruled_out:
            blocks += [f"## {first_upper(study.needs[index].name)}", _ruled_out(study.shelves[index], names)]
    return blocks


def _pick_section(study: Study, index: int, pick: Option, names: Names) -> list[str]:
    shelf, product = study.shelves[index], pick.product
    only_one = len(study.needs) == 1
    heading = "## Why this one" if only_one else f"## {first_upper(shelf.need.name)}: {names.of(product)}"
    interests = [*shelf.need.wishes, *(stem for demand in study.demands.of(shelf.need) for stem in stems_of(demand))]
    facts = [f"- {fact} {cite(product.evidence)}" for fact in key_facts(product, interests)]
    runner_up = study.runner_up(index)
    beside = [
        *runner_up_sentences(study, index, pick, runner_up, names),
        *_per_piece(study, pick, runner_up),
        *_packs(shelf, pick),
    ]
    ruled_out = [_ruled_out(shelf, names)] if shelf.ruled_out else []
    return [
        heading,
        _why(study, index, pick, names),
        *(["\n".join(facts)] if facts else []),
        " ".join(beside),
        *ruled_out,
    ]


def _why(study: Study, index: int, pick: Option, names: Names) -> str:
    shelf = study.shelves[index]
    sentences = [
        standing(study, index, pick, names),
        *_doubts(pick),
        *_floors(study, pick),
        *_demands(study, index, pick),
        *_bans(study, pick),
        *_complaints(study, pick),
        *_purpose(shelf, pick),
    ]
    if study.constraints.brands_wanted:
        sentences += _brand(study, pick)
    return " ".join(sentences)


def _doubts(pick: Option) -> list[str]:
    product = pick.product
    if product.rating is None:
        return [f"Nobody has rated it yet {cite(product.evidence)}."]
    if 0 < product.ratings <= FEW_RATINGS:
        voices = counted(product.ratings, "voice")
        return [f"Its rating rests on only {voices}, so take it with care {cite(product.evidence)}."]
    return []


def _floors(study: Study, pick: Option) -> list[str]:
    """That the pick keeps the floors on ratings, with its numbers."""
    floors, product = study.demands.floors, pick.product
    if not floors or product.rating is None:
        return []
    has = f"{stars(product.rating)} from {counted(product.ratings, 'rating')}"
    return [f"You asked for {floors.text}: it has {has} {cite(product.evidence)}."]


def _demands(study: Study, index: int, pick: Option) -> list[str]:
    evidence = cite(pick.product.evidence)
    straight = [f"“{demand}”" for demand, words in pick.met if words == demand]
    other = [f"“{words}” for your “{demand}”" for demand, words in pick.met if words != demand]
    what = "record" if pick.product.opened else "title"
    sentences = [f"Its {what} says {joined([*straight, *other])} {evidence}."] if pick.met else []
    # What is insisted on stands beside the recommendation itself.
    wished = [demand for demand in pick.unmet if demand not in study.demands.insisted(study.needs[index])]
    if wished:
        asked = joined([f"“{demand}”" for demand in wished], last="or")
        where = where_not(pick, relayed=study.situation.relayed)
        sentences.append(f"{where} {asked}, so check that before you order {evidence}.")
    return sentences


def _bans(study: Study, pick: Option) -> list[str]:
    """What must not be in it and is not named: a record that is silent proves nothing."""
    product, evidence = pick.product, cite(pick.product.evidence)
    if not product.opened or not study.constraints.must_not:
        return []
    denied = [ban for ban in study.constraints.must_not if says(product, f"{ban} free") or says(product, f"no {ban}")]
    silent = [f"“{ban}”" for ban in study.constraints.must_not if ban not in denied]
    sentences = [f"Its record says that it is without {joined(denied)} {evidence}."] if denied else []
    if silent:
        where = "What was noted of it" if study.situation.relayed else "Its record"
        sentences.append(f"{where} neither names nor rules out {joined(silent, last='or')} {evidence}.")
    return sentences


def _complaints(study: Study, pick: Option) -> list[str]:
    """That the pick may annoy as the old one did."""
    named = [f"“{thing}”" for thing in study.demands.complaints if thing in pick.product.title_stems]
    if not named:
        return []
    return [
        f"Its title names {joined(named)}, which annoys you: "
        f"I found none that fits better {cite(pick.product.evidence)}."
    ]


def _purpose(shelf: Shelf, pick: Option) -> list[str]:
    wishes = [wish for wish in shelf.need.wishes if wish not in EVERY_CUE]
    together = " ".join(shelf.need.wishes)
    spoken = [together] if len(shelf.need.wishes) > 1 and says(pick.product, together) else []
    spoken = spoken or [wish for wish in wishes if says(pick.product, wish)]
    known = {words for _, words in pick.met}
    spoken = [words for words in spoken if words not in known]
    if not spoken:
        return []
    where = "listing" if pick.product.opened else "title"
    return [
        f"The {where} speaks of {joined([f'“{words}”' for words in spoken])}, as you do {cite(pick.product.evidence)}."
    ]


def _brand(study: Study, pick: Option) -> list[str]:
    wanted = study.constraints.brands_wanted
    brand = pick.product.brand or ""
    if any(name.casefold() in f"{brand} {pick.product.title}".casefold() for name in wanted):
        return [f"It is from {brand or wanted[0]}, as you wished {cite(pick.product.evidence)}."]
    elsewhere = f"It is not from {joined(list(wanted), last='or')}"
    return [f"{elsewhere}: I found nothing from there that fits better {cite(pick.product.evidence)}."]


def _per_piece(study: Study, pick: Option, other: Option | None) -> list[str]:
    """What one piece costs, where the listing says how many there are."""
    said = [(option, pieces_in(option.product), unit_expression(option)) for option in (pick, other) if option]
    parts: list[str] = []
    for option, pieces, expression in said:
        if pieces is not None and option.product.price is not None and expression is not None:
            each = format_money(option.product.price / pieces.number)
            source = cite(computed(study.situation, expression)) or cite(option.product.evidence)
            parts.append(f"{each} for the {'pick' if option is pick else 'runner-up'} ({pieces.number} in it) {source}")
    unit = next((pieces.unit for _, pieces, _ in said if pieces is not None), "piece")
    return [f"Counted by the {unit}, that is {joined(parts)}."] if parts else []


def _packs(shelf: Shelf, pick: Option) -> list[str]:
    """Points out that a pack may hold several of the wanted number already."""
    pieces, wanted = pieces_in(pick.product), shelf.need.quantity
    if pieces is None or wanted < 2:
        return []
    packs = -(-wanted // pieces.number)
    if packs == wanted:
        return []
    enough = f"{number_text(packs)} of them {'is' if packs == 1 else 'are'} enough"
    return [f"One listing holds {pieces.number}: if you meant single pieces, {enough} {cite(pick.product.evidence)}."]


def _ruled_out(shelf: Shelf, names: Names) -> str:
    shown = shelf.ruled_out[:MOST_RULED_OUT]
    more = len(shelf.ruled_out) - len(shown)
    reasons = [_reason(ruled, names) for ruled in shown]
    if more:
        reasons.append(f"{more} more for like reasons")
    return f"Left out: {'; '.join(reasons)}."


def _reason(ruled: Ruled, names: Names) -> str:
    product = ruled.product
    name = f"{names.of(product)}"
    order = cite(ruled.order.evidence) if ruled.order else ""
    match ruled.reason:
        case "brand":
            return f"the {name}, because you do not want {ruled.detail} {cite(product.evidence)}"
        case "must_not":
            return f"the {name}, because its record mentions “{ruled.detail}” {cite(product.evidence)}"
        case "ratings":
            return f"the {name}, which only {product.ratings:,} buyers have rated {cite(product.evidence)}"
        case "rating":
            return f"the {name}, which buyers rate at only {rating_text(product)} {cite(product.evidence)}"
        case "returned":
            return f"the {name}, which you sent back (ordered {day_text(ruled.detail)}) {order}"
        case _:
            since = f" since {day_text(ruled.detail)}" if ruled.detail else ""
            return f"the {name}, which you already own{since} {order or cite(product.evidence)}"
