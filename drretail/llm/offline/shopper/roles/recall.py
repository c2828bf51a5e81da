"""The facts of intermediate reports, read as if the tools had been called: whoever wrote them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from drretail.llm.offline.shopper.missing import tools_missing_in
from drretail.llm.offline.shopper.situation import (
    CALCULATOR,
    DETAILS,
    ORDERS,
    PROFILE,
    SEARCH,
    STATISTICS,
    WEB,
    Lookup,
    Situation,
)

_LINE = re.compile(r"^(?P<label>[\w ().&/-]{2,60}?): (?P<text>.+)$")
# How others than ``notes`` write the same figures.
_PRICE = re.compile(r"(?P<from>from )?\$\s?(?P<amount>\d[\d,]*(?:\.\d{1,2})?)", re.IGNORECASE)
_RATING = re.compile(r"(?<![\d.$])(?P<rating>[0-5](?:\.\d+)?)\s*(?:out of 5|/\s?5\b|[- ]?stars?\b)", re.IGNORECASE)
_RATINGS = re.compile(r"(?P<number>\d[\d,]*)\s*(?:customer |user )?(?:ratings|reviews|rating\b)", re.IGNORECASE)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_PLACE = re.compile(r"(?P<city>[^,\n]+), (?P<state>[^,\n]+)")
_COUNT = re.compile(r"\d+")
_OF_PRODUCTS = frozenset({"price", "rating", "brand", "category", "shelf", "read", "listing"})


CARD_ONLY = "its search result only"


@dataclass(frozen=True, slots=True)
class _Note:
    """One source, all that was noted of it put together. ``lines`` are (label, text); an unlabelled line has ""."""

    evidence: str
    title: str
    url: str | None
    lines: tuple[tuple[str, str], ...]

    def all(self, label: str) -> list[str]:
        return [text for name, text in self.lines if name == label]

    def first(self, label: str) -> str:
        return next(iter(self.all(label)), "")

    def labelled(self, start: str) -> dict[str, str]:
        """The lines whose label begins so, by the rest of it."""
        return {name.removeprefix(start): text for name, text in self.lines if name.startswith(start)}

    @property
    def text(self) -> str:
        return "\n".join(text if not name else f"{name}: {text}" for name, text in self.lines)

    @property
    def key(self) -> str:
        return self.evidence.split(":", 1)[-1]


def recalled(situation: Situation, reports: Sequence[dict[str, Any]]) -> Situation:
    """The situation with what the reports tell in place of look-ups of its own.

    Without a today of its own, the newest day that a source names is taken: what looks old from there is older still.
    """
    notes = _notes(reports)
    lookups = tuple(_lookups(notes))
    days = sorted(found for note in notes for found in _DAY.findall(note.text))
    today = situation.today or (_day(days[-1]) if days else None)
    known = any(note.evidence.startswith(("U:", "O:")) for note in notes)
    return replace(
        situation,
        lookups=lookups,
        today=today,
        user_id=situation.user_id or ("the shopper" if known else None),
        relayed=True,
        lacked=tools_missing_in(str(question) for report in reports for question in report.get("open_questions") or []),
    )


def _notes(reports: Sequence[dict[str, Any]]) -> list[_Note]:
    """Every source once, in the order in which the reports name them."""
    notes: dict[str, _Note] = {}
    for report in reports:
        for source in report.get("sources") or []:
            if not isinstance(source, dict) or not source.get("evidence"):
                continue
            evidence = str(source["evidence"]).strip("[] ")
            note = _Note(evidence, str(source.get("title") or ""), source.get("url"), _lines(source.get("facts")))
            known = notes.get(evidence, note)
            notes[evidence] = replace(known, lines=tuple(dict.fromkeys([*known.lines, *note.lines])))
    return list(notes.values())


def _lines(facts: Any) -> tuple[tuple[str, str], ...]:
    lines: list[tuple[str, str]] = []
    for line in str(facts or "").splitlines():
        found = _LINE.match(line.strip(" -*"))
        label = found["label"] if found else ""
        known = label.casefold() if label.casefold() in _OF_PRODUCTS else label
        lines.append((known, found["text"].strip() if found else line.strip(" -*")))
    return tuple((label, text) for label, text in lines if text)


def _lookups(notes: list[_Note]) -> Iterator[Lookup]:
    cards: list[dict[str, Any]] = []
    orders: list[dict[str, Any]] = []
    total = 0
    for note in notes:
        match note.evidence.split(":", 1)[0], note.key.split("@")[0]:
            case "P", _:
                product = _product(note)
                if note.first("read") != CARD_ONLY:
                    yield Lookup(DETAILS, {}, product)
                else:
                    cards.append(product)
            case "W", _:
                yield Lookup(WEB, {}, {"results": [_page(note)]})
            case "O", _:
                orders.append(_order(note))
            case "U", "profile":
                yield Lookup(PROFILE, {}, _profile(note))
            case "U", "statistics":
                total = max([total, *map(int, _COUNT.findall(note.first("orders read")))])
                yield Lookup(STATISTICS, {}, _statistics(note))
            case "C", _:
                expression, _, value = note.text.rpartition(" = ")
                yield Lookup(CALCULATOR, {"expression": expression}, {"evidence": note.evidence, "value": value})
            case _:
                pass
    if cards:
        yield Lookup(SEARCH, {}, {"hits": cards})
    if orders:
        yield Lookup(ORDERS, {}, {"orders": orders, "total": max(total, len(orders))})


def _product(note: _Note) -> dict[str, Any]:
    price = _PRICE.search(note.first("price") or note.text)
    rated = note.first("rating") or note.text
    rating, ratings = _RATING.search(rated), _RATINGS.search(rated)
    details = note.labelled("detail ")
    brand = note.first("brand")
    # Whatever else somebody wrote of it.
    more = [(name, text) for name, text in note.lines if name not in _OF_PRODUCTS and not name.startswith("detail ")]
    return {
        "evidence": note.evidence,
        "product_id": note.key,
        "title": note.title or note.key,
        "price": price["amount"].replace(",", "") if price else None,
        "price_from": bool(price and price["from"]),
        "average_rating": float(rating["rating"]) if rating else None,
        "rating_number": int(ratings["number"].replace(",", "")) if ratings else 0,
        "store": brand or None,
        "category": note.first("category"),
        "categories": note.first("shelf").split(" > ") if note.first("shelf") else [],
        "features": [*note.all("listing"), *(f"{name}: {text}" if name else text for name, text in more)],
        "details": details,
    }


def _page(note: _Note) -> dict[str, Any]:
    sentences = [*note.all("says"), *(text for name, text in note.lines if not name)]
    # A list that was cut open ends a page: whatever stood behind it would read as its last item.
    cut = [text for text in sentences if text.endswith("…")]
    said = " ".join([*(text for text in sentences if text not in cut), *cut[:1]])
    page = {"evidence": note.evidence, "title": note.title, "url": note.url, "snippet": said or note.text}
    return page | ({"date": note.first("date")} if note.first("date") else {})


def _order(note: _Note) -> dict[str, Any]:
    day = _DAY.search(note.text)
    quantity = _COUNT.search(note.first("quantity"))
    return {
        "evidence": note.evidence,
        "order_id": note.key,
        "product_id": note.first("product"),
        "product_title": note.title,
        "order_date": day[0] if day else "",
        "quantity": int(quantity[0]) if quantity else 1,
        "order_status": note.first("status") or "Delivered",
    }


def _profile(note: _Note) -> dict[str, Any]:
    place = _PLACE.search(note.first("lives in"))
    address = {"city": place["city"].strip(), "state": place["state"].strip()} if place else {}
    return {"evidence": note.evidence, "address": address}


def _statistics(note: _Note) -> dict[str, Any]:
    mean = _PRICE.search(note.first("mean order"))
    return {
        "evidence": note.evidence,
        "mean_order": mean["amount"].replace(",", "") if mean else None,
        "top_brands": _counted(note.labelled("brand ")),
        "top_categories": _counted(note.labelled("ordered category ")),
    }


def _counted(lines: dict[str, str]) -> list[dict[str, Any]]:
    return [{"name": name, "orders": int(number[0])} for name, text in lines.items() if (number := _COUNT.search(text))]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
