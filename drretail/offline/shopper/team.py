"""The roles of a team (paper section 4): the question divided, one part researched, findings consolidated and recalled.

A report generator sees nothing but the consolidated sources, a labelled fact a line; ``recalled`` reads them again as
if the tools had been called, also where another model wrote them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from drretail.grounding.text.wording import format_money
from drretail.offline.shopper.candidates import Candidate
from drretail.offline.shopper.choosing import Choice
from drretail.offline.shopper.conversation import (
    CALCULATOR,
    DETAILS,
    ORDERS,
    SEARCH,
    STATISTICS,
    WEB,
    Lookup,
    Situation,
    parsed,
    plain_text,
)
from drretail.offline.shopper.needs import Study
from drretail.offline.shopper.reading.asked import Phrase
from drretail.offline.shopper.report import Report
from drretail.offline.shopper.research import Call, next_calls
from drretail.offline.shopper.web import quotes, sentences_of, web_searches
from drretail.records.evidence import Insight, IntermediateReport, SourceNote

LAUNCH, REASON, FINALIZE = "LaunchResearcher", "Reason", "Finalize"
MOST_PARTS = 4
MOST_PRODUCTS = 6
MOST_LINES = 6
MOST_SENTENCES = 5
_TO_SEARCH = "Search the web for this. "
_TO_ADD = "Compute with the calculator: "
_CITED = re.compile(r"\s*\[(?P<id>[A-Z]:[^\]\s]+)\]")
_MARKUP = re.compile(r"\*\*|^- |^#+ ", re.MULTILINE)
_LINE = re.compile(r"^(?P<label>[\w ]{2,30}): (?P<text>.+)$")
_PRICE = re.compile(r"(?P<sign>[$€£])\s?(?P<amount>\d[\d,]*(?:\.\d{1,2})?)")
_RATING = re.compile(r"(?<![\d.$])(?P<rating>[0-5](?:\.\d+)?)\s*(?:out of 5|/\s?5\b|[- ]?stars?\b)", re.IGNORECASE)
_RATINGS = re.compile(r"(?P<number>\d[\d,]*)\s*(?:\w+ )?(?:ratings?|reviews?)\b", re.IGNORECASE)
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}


def supervised(situation: Situation, callable_names: frozenset[str]) -> tuple[str, list[Call]]:
    """The supervisor's thought and moves: a part for each thing and one for the web, then the sum, then the end."""
    launched = [it for it in situation.lookups if it.name == LAUNCH]
    if not launched:
        parts = _parts(Study(situation))
        thought = f"The question has {len(parts)} part{'' if len(parts) == 1 else 's'} that can be worked on alone."
    else:
        parts = _second_look(situation, launched)
        thought = "One more look is worth it." if parts else "Nothing more is to be gained."
    calls: list[Call] = [(REASON, {"thought": thought}), *((LAUNCH, {"sub_problem": part}) for part in parts)]
    calls += [] if parts else [(FINALIZE, {})]
    return thought, [call for call in calls if call[0] in callable_names]


def researched(situation: Situation, callable_names: frozenset[str]) -> tuple[str, list[Call]]:
    """A researcher's next calls; at the end a thought that sums up, and Finalize."""
    if situation.query.startswith(_TO_ADD):
        expressions = situation.query.removeprefix(_TO_ADD).split(";")
        calls: list[Call] = [(CALCULATOR, {"expression": it.strip()}) for it in expressions if it.strip()]
        calls = [] if situation.lookups else calls
        study = Study(situation)
    elif situation.query.startswith(_TO_SEARCH):
        study = Study(replace(situation, query=situation.query.removeprefix(_TO_SEARCH), of_a_team=False))
        calls = [] if situation.lookups else [(WEB, {"query": it}) for it in web_searches(study)]
    else:
        study = Study(situation)
        calls = next_calls(Choice(study))
    calls = [call for call in calls if call[0] in callable_names]
    if calls:
        thought = f"Next I call {', '.join(dict.fromkeys(name for name, _ in calls))}."
        return thought, [*([(REASON, {"thought": thought})] if REASON in callable_names else []), *calls]
    said = " ".join(_prose(Choice(study))) or "I found nothing that bears on this."
    ends: list[Call] = [(REASON, {"thought": said}), (FINALIZE, {})]
    return said, [call for call in ends if call[0] in callable_names]


def synthesised(findings: str) -> IntermediateReport:
    """The report of a researcher's findings, one JSON object a line; what it could not find is left open."""
    entries = [entry for line in findings.splitlines() if (entry := parsed(line))]
    problem = next((str(entry["sub_problem"]) for entry in entries if entry.get("sub_problem")), "")
    lookups = tuple(
        Lookup(str(entry["tool"]), _object(entry.get("args")), _object(entry.get("result")))
        for entry in entries
        if entry.get("tool")
    )
    query = plain_text(problem).removeprefix(_TO_SEARCH)
    users = [it.args["user_id"] for it in lookups if it.args.get("user_id")]
    choice = Choice(Study(Situation(query, user_id=next(iter(users), None), lookups=lookups)))
    adds = query.startswith(_TO_ADD)
    report = Report(choice)
    blocks = [] if adds else [*_prose(choice), *report.advice()]
    spoken = [line for entry in entries for line in str(entry.get("text", "")).splitlines() if _CITED.search(line)]
    insights = [it for block in [*blocks, *spoken] for it in _insights(block)]
    searched = any(it.name == SEARCH for it in lookups)
    missed = [f"Nothing of the name “{it.words}” was found." for it in choice.study.not_found] if searched else []
    notes = tuple(_notes(choice))
    return IntermediateReport(
        insights=tuple({it.statement: it for it in insights}.values()),
        sources=notes,
        open_questions=tuple(missed if insights or notes else [*missed, f"Nothing was found on this: {query}"]),
    )


def recalled(situation: Situation, reports: str) -> Situation:
    """The situation with what a JSON list of intermediate reports tells in place of look-ups of its own."""
    given = parsed(f'{{"all": {reports}}}').get("all")
    told = [it.get("report", it) for it in given if isinstance(it, dict)] if isinstance(given, list) else []
    return _recalled(situation, told)


def _recalled(situation: Situation, reports: Sequence[Any]) -> Situation:
    sources: dict[str, dict[str, Any]] = {}
    for report in reports:
        for source in (report.get("sources") or []) if isinstance(report, dict) else []:
            if isinstance(source, dict) and source.get("evidence"):
                key = str(source["evidence"]).strip("[] ")
                facts = f"{sources.get(key, {}).get('facts', '')}\n{source.get('facts') or ''}"
                sources[key] = {**source, "evidence": key, "facts": facts}
    pages = [_page(it) for key, it in sources.items() if key.startswith("W:")]
    orders = [_order(it) for key, it in sources.items() if key.startswith("O:")]
    study = Study(replace(situation, relayed=True))
    lookups = [Lookup(DETAILS, {}, _product(it)) for key, it in sources.items() if key.startswith("P:")]
    lookups += [Lookup(SEARCH, {}, {"hits": []})] if lookups else []
    lookups += [Lookup(ORDERS, {}, {"orders": orders})] if orders else []
    lookups += [Lookup(WEB, {"query": words}, {"results": pages}) for words in web_searches(study) if pages]
    lookups += [_calculation(it) for key, it in sources.items() if key.startswith("C:")]
    return replace(situation, lookups=tuple(lookups), user_id=None, relayed=True)


def _parts(study: Study) -> list[str]:
    """One for each thing that is plainly asked for, with the limits in the shopper's own words, and one for the web."""
    things = study.tiers[0]
    parts = [_part(study, thing, things) for thing in things[:MOST_PARTS]] or [study.situation.query]
    named = next((tier for tier in study.tiers if tier), ())
    advice = " ".join(f"How do I choose {thing.words}?" for thing in named[:MOST_PARTS])
    questions = " ".join(study.asked.questions) if things else ""
    return [*parts, f"{_TO_SEARCH}{questions or advice}"] if questions or advice else parts


def _part(study: Study, thing: Phrase, things: Sequence[Phrase]) -> str:
    number = str(thing.quantity) if thing.quantity > 1 else "a"
    mine = "my " if thing.anew else f"{number} "
    said = [
        sentence
        for at, sentence in enumerate(study.asked.sentences)
        if sentence not in study.asked.questions
        and not any(it.sentence == at and it is not thing for it in things)
        and not (at == thing.sentence and len(things) > 1)
    ]
    budget = study.budget
    scope = "each" if budget is not None and budget[1] == "per_item" else "in total, for everything together"
    limit = f" My budget is {format_money(budget[0])} {scope}." if budget is not None else ""
    if len(things) == 1:
        is_said = study.asked.sentences[thing.sentence] in said
        return " ".join([*said, *([] if is_said else [f"I need {mine}{thing.words}."])])
    return f"I need {mine}{thing.words}.{limit} {' '.join(said)}".strip()


def _second_look(situation: Situation, launched: Sequence[Lookup]) -> list[str]:
    """Launches that were refused for their number; else the sum of what would be recommended, once."""
    refused = [str(it.args.get("sub_problem")) for it in launched if _refused(it)]
    begun = {str(it.args.get("sub_problem")) for it in launched if not _refused(it)}
    waiting = [part for part in dict.fromkeys(refused) if part not in begun]
    if waiting:
        return waiting[: max(1, len(begun))]
    reports = [it.value["report"] for it in launched if isinstance(it.value.get("report"), dict)]
    choice = Choice(Study(_recalled(situation, reports)))
    sums = [it for it in (choice.total_expression(), choice.left_expression()) if it and any(s in it for s in "+*-")]
    known = {it.args.get("expression") for it in choice.situation.found(CALCULATOR)}
    part = f"{_TO_ADD}{'; '.join(sums)}"
    return [part] if sums and not {*sums} <= known and part not in begun else []


def _refused(launch: Lookup) -> bool:
    error = launch.value.get("error")
    return isinstance(error, dict) and error.get("type") == "limit"


def _prose(choice: Choice) -> Iterator[str]:
    """What a report would say of each pick, without tables."""
    report = Report(choice)
    for shelf, option in choice.chosen:
        parts = (report.reasons(shelf, option), report.second(shelf, option), report.own(shelf))
        yield from (" ".join(part) for part in parts)


def _insights(block: str) -> Iterator[Insight]:
    """A paragraph as one statement, its citations apart; none for what cites nothing."""
    for line in block.splitlines():
        text = " ".join(_MARKUP.sub("", _CITED.sub("", line)).split())
        cited = tuple(dict.fromkeys(_CITED.findall(line)))
        if text and cited:
            yield Insight(statement=text, citations=cited)


def _notes(choice: Choice) -> Iterator[SourceNote]:
    """Products, orders that bear on them, pages, calculations, each once."""
    shown: dict[str, Candidate] = {}
    for shelf in choice.shelves:
        ranked = [it.candidate for it in shelf.options] + [it.candidate for it in shelf.refused[:2]]
        cheap = sorted((it for it in ranked if it.price is not None), key=lambda it: it.price or 0)[:2]
        for candidate in [*(it for it in ranked if it.opened), *ranked[:MOST_PRODUCTS], *cheap]:
            shown.setdefault(candidate.evidence, candidate)
    yield from (_of_product(it) for it in shown.values())
    orders = [order for shelf in choice.shelves for order in choice.related_orders(shelf.need)]
    owned = [it for it in choice.study.orders if it.product_id in {one.product_id for one in shown.values()}]
    for order in dict.fromkeys([*orders, *owned]):
        facts = f"date: {order.date}\nproduct: {order.product_id}"
        yield SourceNote(evidence=order.evidence, title=order.title, facts=facts)
    yield from _of_pages(choice)
    for lookup in choice.situation.found(CALCULATOR):
        facts = f"expression: {lookup.value.get('expression')}\nvalue: {lookup.value.get('value')}"
        yield SourceNote(evidence=str(lookup.value["evidence"]), title="Calculation", facts=facts)
    for lookup in choice.situation.found(STATISTICS):
        facts = "\n".join(f"{key}: {it}" for key, it in lookup.value.items() if isinstance(it, int | float | str))
        yield SourceNote(evidence=str(lookup.value.get("evidence", "U:statistics")), title="Statistics", facts=facts)


def _of_product(candidate: Candidate) -> SourceNote:
    product = candidate.product
    start = "from " if product.price_from else ""
    price = "none listed" if product.price is None else f"{start}{format_money(product.price, product.currency)}"
    lines = [f"price: {price}"]
    lines += (
        [f"rating: {product.average_rating:g} out of 5"] if product.average_rating is not None else ["rating: none"]
    )
    lines += [f"ratings: {'unknown' if product.rating_number is None else product.rating_number}"]
    lines += [f"brand: {product.brand}"] if product.brand else []
    lines += [f"shelf: {' > '.join(product.categories)}"] if len(product.categories) > 1 else []
    lines += [f"listing: {' '.join(it.split())[:400]}" for it in product.features[:MOST_LINES]]
    described = [it for text in product.description for it in sentences_of(text)]
    lines += [f"listing: {' '.join(it.split())}" for it in described[: MOST_LINES - len(product.features)]]
    details = [(name, it) for name, it in product.details.items() if isinstance(it, str) and name != "Brand"]
    lines += [f"detail {name}: {it}" for name, it in details if len(it) < 80][:MOST_LINES]
    return SourceNote(evidence=candidate.evidence, title=product.title, url=product.product_url, facts="\n".join(lines))


def _of_pages(choice: Choice) -> Iterable[SourceNote]:
    told = {quote.evidence for quote in quotes(choice.study)}
    pages: dict[str, SourceNote] = {}
    for lookup in choice.situation.found(WEB):
        for page in lookup.value.get("results", []):
            if isinstance(page, dict) and page.get("evidence") in told:
                text = str(page.get("summary") or page.get("snippet") or "")
                lines = [f"says: {it}" for it in sentences_of(text)[:MOST_SENTENCES]]
                lines += [f"date: {page['date']}"] if page.get("date") else []
                title, url = str(page.get("title") or ""), page.get("url")
                facts = "\n".join(lines)
                pages.setdefault(
                    page["evidence"], SourceNote(evidence=page["evidence"], title=title, url=url, facts=facts)
                )
    return pages.values()


def _facts(source: dict[str, Any]) -> list[tuple[str, str]]:
    found = [_LINE.match(line.strip(" -*")) for line in str(source.get("facts") or "").splitlines()]
    return [(match["label"].casefold(), match["text"].strip()) for match in found if match]


def _product(source: dict[str, Any]) -> dict[str, Any]:
    """A product's record out of its noted facts, whoever noted them."""
    facts, text = _facts(source), str(source.get("facts") or "")
    one = dict(reversed(facts))
    price = _PRICE.search(one.get("price", "" if "price" in one else text))
    rating, number = _RATING.search(text), _RATINGS.search(text)
    counted = one.get("ratings", "").replace(",", "")
    shelf = one.get("shelf", "")
    return {
        "product_id": source["evidence"].removeprefix("P:"),
        "title": str(source.get("title") or ""),
        "price": float(price["amount"].replace(",", "")) if price else None,
        "price_from": one.get("price", "").startswith("from "),
        "currency": _CURRENCIES[price["sign"]] if price else "USD",
        "average_rating": float(rating["rating"]) if rating else None,
        "rating_number": int(counted)
        if counted.isdecimal()
        else int(number["number"].replace(",", ""))
        if number
        else None,
        "store": one.get("brand"),
        "category": shelf.rpartition(" > ")[2],
        "categories": shelf.split(" > ") if shelf else [],
        "features": [it for label, it in facts if label == "listing"] or [text],
        "details": {label.removeprefix("detail "): it for label, it in facts if label.startswith("detail ")},
    }


def _page(source: dict[str, Any]) -> dict[str, Any]:
    facts = _facts(source)
    said = " ".join(it for label, it in facts if label == "says") or str(source.get("facts") or "")
    date = next((it for label, it in facts if label == "date"), None)
    return {"evidence": source["evidence"], "title": source.get("title"), "snippet": said, "date": date}


def _order(source: dict[str, Any]) -> dict[str, Any]:
    one = dict(_facts(source))
    return {
        "evidence": source["evidence"],
        "product_id": one.get("product") or "unknown",
        "product_title": source.get("title"),
        "order_date": one.get("date", ""),
    }


def _calculation(source: dict[str, Any]) -> Lookup:
    one = dict(_facts(source))
    value = {"evidence": source["evidence"], "expression": one.get("expression"), "value": one.get("value")}
    return Lookup(CALCULATOR, {"expression": one.get("expression")}, value if one.get("value") else {})


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else parsed(value if isinstance(value, str) else None)
