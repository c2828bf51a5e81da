"""Whether the records that a claim cites decide it, by their named fields.

Words that a claim shares with a source confirm nothing. Measured on people's labels by benchmarks/offline.py.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from drretail.grounding.report.evidence_ids import calculation_evidence_id, order_evidence_id, product_evidence_id
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.languages import labels
from drretail.grounding.text.layout import read_layout
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.words import content_stems, content_words, is_negation, stem, words
from drretail.grounding.verify.records import Ledger, read_ledger, record_of
from drretail.grounding.verify.values import verify
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText
from drretail.records.reading import ReadValue, ValueKind

Label = Literal["full_support", "contradicted", "not_rated"]
"""``not_rated``: not decided."""
_MARK = re.compile(r"\[\^?\d+\]")
_CALCULATION = re.compile(r"(?P<expression>[-+*/().\d\s]+) = -?[\d.]+")
_FIELDS: Mapping[ValueKind, str] = {
    "price": "price",
    "rating": "average_rating",
    "rating_count": "rating_number",
    "date": "order_date",
}
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Opinion:
    """The judgement of one claim; ``quote`` occurs in a source, or is empty."""

    label: Label
    reason: str
    quote: str = ""


def judge_claim(claim: str, sources: Sequence[str], question: str = "") -> Opinion:
    """What the cited records say of a claim; ``given`` is the shopper's question.

    A field or figure that says otherwise contradicts it. It has full support if records confirm every figure and field
    in it and nothing else is left of it than names of the products and of the fields.
    """
    claim = _MARK.sub("", claim)
    entries = {entry.id: entry for entry in map(_entry, sources) if entry is not None}
    if not entries or len(entries) < len(set(sources)):
        return _open("it rests on more than records")
    ledger = replace(read_ledger(entries), query_text=question)
    marked = f"{claim.rstrip('.! ')} {' '.join(f'[{name}]' for name in entries)}."
    read = [value for value in read_by_form(read_layout(marked, entries), ledger).values if value.end <= len(claim)]
    # The form reader finds a price by its number, whatever its currency.
    prices = verify((value for value in read if value.kind == "price"), ledger)
    values = [*prices, *(value for value in read if value.kind != "price")]
    if wrong := next((value for value in values if value.state == "contradicted"), None):
        reason = (
            f"{wrong.kind.replace('_', ' ')} {wrong.amount_in_words}: {wrong.derivation or 'a record says otherwise'}"
        )
        return Opinion("contradicted", reason, _quote(wrong, sources))
    right = [value for value in values if value.state == "verified"]
    if not right:
        return _open("no field of its sources decides it")
    if left := _left_over(claim, right, ledger):
        return _open(f"no field says {', '.join(left)}")
    return Opinion("full_support", "fields of its sources say so", _quote(right[0], sources))


def _open(why: str) -> Opinion:
    return Opinion("not_rated", f"not decided (rule-based): {why}")


def _entry(source: str) -> Evidence | None:
    """The record of a product or an order, or a calculation; None for any other text."""
    record, calculation = record_of(source) or {}, _CALCULATION.fullmatch(source)
    if "order_date" in record:
        return _evidence(order_evidence_id(str(record.get("order_id"))), "order", source)
    if "product_id" in record:
        return _evidence(product_evidence_id(str(record["product_id"])), "product", source)
    return calculation and _evidence(calculation_evidence_id(calculation["expression"]), "calculation", source)


def _evidence(name: str, kind: EvidenceKind, source: str) -> Evidence:
    text = EvidenceText(sha256=sha256_of(source), form="record", text=source, shown=True, path="0", seq=0)
    return Evidence(id=name, kind=kind, key=name[2:], title=name, texts=(text,))


def _left_over(claim: str, right: Sequence[ReadValue], ledger: Ledger) -> list[str]:
    """The words and figures of a claim that neither a confirmed value nor a name accounts for."""
    names = [f"{item.title} {item.brand or ''} {item.store or ''}" for item in ledger.products.values()]
    names += [str(record.get("product_title", "")) for record in ledger.records.values()]
    of_fields = [value.derivation or "" for value in right if value.kind not in _FIELDS]
    known = {*content_stems(" ".join([*names, *of_fields])), *_label_stems()}
    spans = [(value.start, value.end) for value in right]
    figures = [
        claim[one.start : one.stop]
        for one in find_numerals(claim)
        if not any(start < one.stop and one.start < end for start, end in spans)
    ]
    rest = "".join(" " if any(start <= at < end for start, end in spans) else one for at, one in enumerate(claim))
    return [
        *(figure for figure in figures if not any(figure in name for name in names)),
        *(word for word in words(claim) if is_negation(word)),
        *(word for word in content_words(rest) if stem(word) not in known),
    ]


def _label_stems() -> Iterable[str]:
    return (stem(word) for named in labels(english=True).values() for word in named)


def _quote(value: ReadValue, sources: Sequence[str]) -> str:
    """The field that decides a value, as it stands in its record, or the beginning of a source without fields."""
    name = _FIELDS.get(value.kind) or (value.derivation or "").removeprefix("the record says ").partition(": ")[0]
    field = re.compile(rf'"{re.escape(name)}"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^,}}\]]+)')
    own = [source for source in sources if any(one.removeprefix("P:") in source for one in value.of)] or sources
    return next((match[0] for source in own if (match := field.search(source))), own[0][:_LONGEST_QUOTE])
