"""The sources of an intermediate report: of each result what a report may need, one fact a line, labelled.

A report generator sees nothing but these lines; ``recall`` reads them again.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.choosing import Option, Shelf
from drretail.llm.offline.shopper.customer import PastOrder
from drretail.llm.offline.shopper.facts import TELLING, sentences_of
from drretail.llm.offline.shopper.need import names_thing
from drretail.llm.offline.shopper.report.naming import rating_text
from drretail.llm.offline.shopper.report.sayings import Saying, pages_that_give_orders, read_sayings
from drretail.llm.offline.shopper.roles.recall import CARD_ONLY
from drretail.llm.offline.shopper.roles.records import orders_that_bear
from drretail.llm.offline.shopper.situation import CALCULATOR, STATISTICS, WEB
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.wishes import says
from drretail.llm.offline.shopper.words import contains_phrase, content_stems, stems_of
from drretail.records.research import SourceNote

MOST_PRODUCTS = 7
MOST_CHEAP = 2
MOST_RULED_OUT = 3
MOST_LINES = 8
MOST_SENTENCES = 6
_LONGEST_LINE = 300
_SHARED_WORDS = 2
_LEAST_MERIT = -0.4
"""Of a sentence of a page that may be of use to somebody."""
DISTRUSTED = "warning: this page tells automated readers what to recommend, so nothing of it was noted"


def source_notes(study: Study, *, with_record: bool) -> list[SourceNote]:
    """Products, then who asks (where the assignment was to look), pages, calculations."""
    notes = [*_products(study), *(_of_shopper(study) if with_record else []), *_pages(study), *_sums(study)]
    return list({note.evidence: note for note in reversed(notes)}.values())[::-1]


def _products(study: Study) -> Iterable[SourceNote]:
    interests = [*study.demands.all, *study.demands.stated.must_not]
    for shelf in study.shelves:
        wishes = [*interests, *shelf.need.wishes]
        yield from (_of_product(option.product, wishes) for option in _worth_noting(shelf))
        yield from (_of_product(ruled.product, wishes) for ruled in shelf.ruled_out[:MOST_RULED_OUT])


def _worth_noting(shelf: Shelf) -> list[Option]:
    """The best, the cheapest, which may have to do, and the most strongly rated, which others are held against."""
    priced = [option for option in shelf.rivals if option.product.price is not None]
    cheapest = sorted(priced, key=lambda option: (option.product.price or 0, option.product.product_id))[:MOST_CHEAP]
    strongest = sorted(shelf.rivals, key=lambda option: (-option.product.strength, option.product.product_id))[:1]
    opened = [option for option in shelf.rivals if option.product.opened]
    return list(dict.fromkeys([*opened, *shelf.rivals[:MOST_PRODUCTS], *cheapest, *strongest]))


def _of_product(product: Candidate, interests: Sequence[str]) -> SourceNote:
    start = "from " if product.price_from else ""
    price = "none listed" if product.price is None else f"{start}{format_money(product.price, product.currency)}"
    lines = [f"price: {price}", f"rating: {rating_text(product)}"]
    lines += [f"brand: {product.brand}"] if product.brand else []
    lines += [f"category: {product.category}"] if product.category else []
    shelves = [str(part) for part in product.record.get("categories", [])]
    lines += [f"shelf: {' > '.join(shelves)}"] if shelves else []
    lines += [f"read: {'its record' if product.opened else CARD_ONLY}"]
    lines += [f"listing: {line}" for line in _listing(product, interests)]
    lines += [f"detail {name}: {value}" for name, value in _details(product, interests)]
    return SourceNote(evidence=product.evidence, title=product.title, facts="\n".join(lines))


def _listing(product: Candidate, interests: Sequence[str]) -> list[str]:
    """The first promises of the listing, and every sentence that bears on what is asked for."""
    features = [" ".join(str(feature).split()) for feature in product.record.get("features", [])]
    described = " ".join(str(part) for part in product.record.get("description", []))
    sentences = [" ".join(sentence.split()) for sentence in sentences_of(described)]
    telling = [line for line in [*features, *sentences] if _bears(product, line, interests)]
    first = features or sentences
    return [_shortened(line) for line in dict.fromkeys([*first[:4], *telling, *first[4:]])][:MOST_LINES]


def _details(product: Candidate, interests: Sequence[str]) -> list[tuple[str, str]]:
    rows: dict[str, object] = product.record.get("details") or {}
    return [
        (name, " ".join(value.split()))
        for name, value in rows.items()
        if isinstance(value, str) and (name in TELLING or _bears(product, f"{name}: {value}", interests))
    ]


def _bears(product: Candidate, line: str, interests: Sequence[str]) -> bool:
    """True where a line holds the words that an interest has in this record, whatever they are."""
    stems = stems_of(line)
    phrases = [says(product, interest) or interest for interest in interests]
    return any(contains_phrase(stems, tuple(stems_of(phrase))) for phrase in phrases if phrase)


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return line[: line.rindex(" ", 0, _LONGEST_LINE) if " " in line[:_LONGEST_LINE] else _LONGEST_LINE] + " …"


def _of_shopper(study: Study) -> Iterable[SourceNote]:
    customer = study.customer
    if customer.profile_evidence:
        place = ", ".join(part for part in (customer.city, customer.state) if part)
        yield SourceNote(
            evidence=customer.profile_evidence, title="The shopper's profile", facts=f"lives in: {place or 'unknown'}"
        )
    if customer.statistics_evidence:
        yield SourceNote(
            evidence=customer.statistics_evidence, title="The shopper's statistics", facts="\n".join(_figures(study))
        )
    yield from map(_of_order, orders_that_bear(study, study.situation.query))


def _figures(study: Study) -> list[str]:
    customer = study.customer
    lines = [f"orders read: {len(customer.orders)} of {customer.orders_total}"]
    lines += [f"mean order: {format_money(customer.mean_order)}"] if customer.mean_order is not None else []
    found = study.situation.found(STATISTICS)
    statistics = found[-1].value if found else {}
    for label, name in (("brand", "top_brands"), ("ordered category", "top_categories")):
        lines += [f"{label} {item['name']}: {item['orders']} orders" for item in statistics.get(name) or []]
    return lines


def _of_order(order: PastOrder) -> SourceNote:
    lines = [
        f"product: {order.product_id}",
        f"ordered: {order.date}",
        f"quantity: {order.quantity}",
        f"status: {order.status}",
    ]
    return SourceNote(evidence=order.evidence, title=order.title, facts="\n".join(lines))


def _pages(study: Study) -> Iterable[SourceNote]:
    distrusted = pages_that_give_orders(study.situation)
    sayings = read_sayings(study.situation, with_lists=True)
    for lookup in study.situation.found(WEB):
        for result in lookup.value.get("results", []):
            evidence, title = str(result["evidence"]), str(result.get("title", ""))
            url = str(result["url"]) if result.get("url") else None
            if evidence in distrusted:
                if any(names_thing(need, " | ".join(distrusted[evidence])) for need in study.needs):
                    yield SourceNote(evidence=evidence, title=title, url=url, facts=DISTRUSTED)
                continue
            if not _is_to_the_point(study, result):
                continue
            own = _best([saying for saying in sayings if saying.evidence == evidence])
            date = [f"date: {str(result['date'])[:10]}"] if result.get("date") else []
            lines = [*date, *(f"says: {saying.text}" for saying in own)]
            if own:
                yield SourceNote(evidence=evidence, title=title, url=url, facts="\n".join(lines))


def _is_to_the_point(study: Study, result: dict[str, Any]) -> bool:
    """True for a page that names a needed thing, most of a question, the shopper's state, or enough of the problem."""
    text = f"{result.get('title', '')} {result.get('summary') or result.get('snippet') or ''}"
    stems = set(stems_of(text))
    things = [set(name) for need in study.needs for name in need.names]
    questions = [set(stems_of(" ".join(question.words(study.customer)))) for question in study.questions]
    if any(thing <= stems for thing in things) or any(2 * len(it & stems) >= len(it) for it in questions):
        return True
    own = set(content_stems(study.situation.query))
    return (study.customer.state or "-") in text or (not things and len(own & stems) >= _SHARED_WORDS)


def _best(sayings: list[Saying]) -> list[Saying]:
    """The sentences of most merit in the order of the page."""
    useful = [saying for saying in sayings if saying.merit > _LEAST_MERIT and (saying.whole or saying.is_list)]
    best = sorted(useful, key=lambda saying: -saying.merit)[:MOST_SENTENCES]
    return [saying for saying in useful if saying in best]


def _sums(study: Study) -> Iterable[SourceNote]:
    for lookup in study.situation.found(CALCULATOR):
        evidence, value = lookup.value.get("evidence"), lookup.value.get("value")
        if evidence and value is not None:
            yield SourceNote(
                evidence=str(evidence), title="Calculation", facts=f"{lookup.args.get('expression')} = {value}"
            )
