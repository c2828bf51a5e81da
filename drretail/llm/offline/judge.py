"""The policy of offline:judge: rules in place of a judge model, so that scoring runs without a key.

The name of the answer schema chooses the rules: the claims of a report with their sources, and whether the records
that a claim cites confirm or contradict it.

Words that a claim shares with a source confirm nothing. Measured on people's labels by benchmarks/offline.py.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.llm.offline.chat import OfflineRequest, filled, plain_answer, tags_in
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText
from drretail.records.reading import ReadValue, ValueKind
from drretail.reports.layout import Layout, read_layout
from drretail.reports.page import blanked
from drretail.reports.text.evidence_ids import calculation_evidence_id, order_evidence_id, product_evidence_id
from drretail.reports.text.numerals import find_numerals
from drretail.reports.text.words import content_stems, content_words, is_negation, labels, stem, words
from drretail.shopping.verify.form import read_by_form
from drretail.shopping.verify.parts import parts_by_marks
from drretail.shopping.verify.records import Ledger, read_ledger, record_of

_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
_FIGURE = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_BETWEEN = " ,;:"
"""What may stand between two claims of a sentence."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One claim; ``quote`` is its stretch or row verbatim from the report."""

    claim: str
    quote: str
    sources: tuple[str, ...]


def extract_claims(report: str, *, only_cited: bool) -> list[_Found]:
    """The report's claims in order, in whatever language: what cites something, and, unless ``only_cited``, what has a
    figure; without questions that cite nothing, and without repetitions.
    """
    layout = read_layout(report, None)
    claims: dict[tuple[str, tuple[str, ...]], _Found] = {}
    parts = sorted((*_in_sentences(layout), *_in_rows(layout)), key=lambda part: part[0])
    for start, end, claim, sources in parts:
        has_figure = _FIGURE.search(claim) and not _QUESTION.search(claim)
        if _LETTER.search(claim) and (sources or (has_figure and not only_cited)):
            claims.setdefault((claim.casefold(), sources), _Found(claim, report[start:end].lstrip(_BETWEEN), sources))
    return list(claims.values())


def _in_sentences(layout: Layout) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    """Start, end, words and sources of the stretches that marks own and of others with a figure. The last of a sentence
    goes on to its end.
    """
    notes = {note.sentence: note.cited for note in layout.notes}
    for index, owned in groupby(layout.stretches, key=lambda stretch: stretch.sentence):
        *before, last = owned
        sentence = layout.sentences[index]
        for stretch in (*before, replace(last, end=sentence.end)) if sentence.kind in ("text", "item") else ():
            claim = _plain(layout.text[stretch.start : stretch.end]).lstrip(_BETWEEN)
            yield stretch.start, stretch.end, claim, (*stretch.cited, *notes.get(index, ()))


def _in_rows(layout: Layout) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    """The same of rows: the cells of each product and those of none, with the heads of their columns."""
    for index, cells_of_row in groupby(layout.cells, key=lambda cell: cell.sentence):
        row = layout.sentences[index]
        cells = [cell for cell in cells_of_row if row.kind == "row" and _plain(layout.text[cell.start : cell.end])]
        subjects = dict.fromkeys(cell.subjects for cell in cells if cell.subjects) or {(): None}
        others = [source for source in layout.cited.get(index, ()) if not any(source in ids for ids in subjects)]
        for ids in subjects:
            columns: list[str] = []
            for cell in (cell for cell in cells if cell.subjects in ((), ids)):
                spans = [*(head for head in cell.heads if head[1] <= row.start), (cell.start, cell.end)]
                columns.append(": ".join(filter(None, (_plain(layout.text[slice(*span)]) for span in spans))))
            yield row.start, row.end, "; ".join(columns), (*ids, *others)


def _plain(text: str) -> str:
    """The words of a stretch, without emphasis and without the gaps that removed citations leave."""
    return _BEFORE_STOP.sub(r"\1", " ".join(_EMPTY_BRACKETS.sub("", _EMPHASIS.sub("", text)).split())).strip()


Label = Literal["full_support", "contradicted", "not_rated"]
"""``not_rated``: not decided."""
_MARK = re.compile(r"\[\^?\d+\]")
_CALCULATION = re.compile(r"(?P<expression>[-+*/().\d\s]+) = -?[\d.]+")
_FIELDS: Mapping[ValueKind, str] = {
    "price": "price",
    "rating": "average_rating",
    "rating_count": "rating_number",
    "order_date": "order_date",
}
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class _Opinion:
    """The judgement of one claim; ``quote`` occurs in a source, or is empty."""

    label: Label
    reason: str
    quote: str = ""


def judge_claim(claim: str, sources: Sequence[str], question: str = "") -> _Opinion:
    """What the cited records say of a claim; ``question`` is the shopper's.

    A field or figure that says otherwise contradicts it. It has full support if records confirm every figure and field
    in it and nothing else is left of it than names of the products and of the fields.
    """
    claim = _MARK.sub("", claim)
    entries = {entry.id: entry for entry in map(_entry, sources) if entry is not None}
    if not entries or len(entries) < len(set(sources)):
        return _open("it rests on more than records")
    ledger = replace(read_ledger(entries), query_text=question)
    layout = read_layout(f"{claim.rstrip('.! ')} {' '.join(f'[{name}]' for name in entries)}.", entries)
    values = [value for value in read_by_form(layout, ledger, parts_by_marks(layout)) if value.end <= len(claim)]
    if wrong := next((value for value in values if value.state == "contradicted"), None):
        reason = f"{wrong.kind.replace('_', ' ')} {wrong.amount}: the record says {wrong.derivation}"
        return _Opinion("contradicted", reason, _quote(wrong, sources))
    right = [value for value in values if value.state == "verified"]
    if not right:
        return _open("no field of its sources decides it")
    if left := _left_over(claim, right, ledger):
        return _open(f"no field says {', '.join(left)}")
    return _Opinion("full_support", "fields of its sources say so", _quote(right[0], sources))


def _open(why: str) -> _Opinion:
    return _Opinion("not_rated", f"not decided (rule-based): {why}")


def _entry(source: str) -> Evidence | None:
    """The record of a product or an order, or a calculation; None for any other text."""
    record, calculation = record_of(source) or {}, _CALCULATION.fullmatch(source)
    if "order_date" in record:
        return _evidence(order_evidence_id(str(record.get("order_id"))), "order", source)
    if "product_id" in record:
        return _evidence(product_evidence_id(str(record["product_id"])), "product", source)
    return calculation and _evidence(calculation_evidence_id(calculation["expression"]), "calculation", source)


def _evidence(name: str, kind: EvidenceKind, source: str) -> Evidence:
    text = EvidenceText(form="record", text=source, shown=True, path="0", seq=0)
    return Evidence(id=name, kind=kind, key=name[2:], title=name, texts=(text,))


def _left_over(claim: str, right: Sequence[ReadValue], ledger: Ledger) -> list[str]:
    """The words and figures of a claim that neither a confirmed value, nor a name, nor a label accounts for."""
    names = [f"{item.title} {item.brand or ''} {item.store or ''}" for item in ledger.products.values()]
    names += [
        f"{record.get('product_title', '')} {record.get('order_status', '')}" for record in ledger.records.values()
    ]
    words_known = {
        *content_stems(" ".join(names)),
        *(stem(word) for label in labels(english=False).values() for word in label),
    }
    rest = blanked(claim, [(value.start, value.end) for value in right])
    figures = [claim[numeral.start : numeral.end] for numeral in find_numerals(rest)]
    return [
        *(figure for figure in figures if not any(figure in name for name in names)),
        *(word for word in words(claim) if is_negation(word)),
        *(word for word in content_words(rest) if stem(word) not in words_known),
    ]


def _quote(value: ReadValue, sources: Sequence[str]) -> str:
    """The field that decides a value, as it stands in its record, or the beginning of a source without fields."""
    name = _FIELDS.get(value.kind) or (value.derivation or "").partition(": ")[0]
    field = re.compile(rf'"{re.escape(name)}"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^,}}\]]+)')
    texts = [source for source in sources if value.of.partition(":")[2] in source] or sources
    return next((match[0] for source in texts if (match := field.search(source))), texts[0][:_LONGEST_QUOTE])


QUESTION = "Q"
"""The id of the shopper's question among the sources."""


def judge_offline(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The answer in the requested schema: a call of the bound tool, or JSON if a ``<schema>`` tag asks for it."""
    turn = OfflineRequest(messages, tools, choice)
    schema = turn.schema
    if schema is None:
        return plain_answer(turn)
    # Later human messages only ask for repairs of the answer.
    prompt = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    rule = _RULES.get(str(schema.get("title", "")))
    return turn.in_schema(filled(schema, "") if rule is None else rule(prompt))


def tag_contents(name: str, text: str) -> list[str]:
    """The contents of the outermost tags of this name, in order."""
    return [tag.content for tag in tags_in(text) if tag.name == name]


def _extracted(prompt: str, *, only_cited: bool = False, **fields: Any) -> dict[str, Any]:
    report = "\n".join(tag_contents("report", prompt))
    claims = extract_claims(report, only_cited=only_cited)
    return {
        "claims": [
            {"claim_id": number, "claim": claim.claim, "quote": claim.quote, "sources": list(claim.sources), **fields}
            for number, claim in enumerate(claims, 1)
        ]
    }


def _supported(prompt: str) -> dict[str, Any]:
    opinion = judge_claim("\n".join(tag_contents("claim", prompt)), tag_contents("source", prompt))
    label = "no_support" if opinion.label == "contradicted" else opinion.label  # the paper's labels have no other
    return {"support": label, "justification": opinion.reason}


def _all_supported(prompt: str) -> dict[str, Any]:
    """Judges each claim by the records among its sources."""
    tags = tags_in(prompt)
    question = "\n".join(tag.content for tag in tags if tag.attributes.get("id") == QUESTION)
    judged: list[dict[str, Any]] = []
    for number, claim in enumerate((tag for tag in tags if tag.name == "claim"), 1):
        cited = claim.attributes.get("sources", "").split()
        sources = [tag.content for tag in tags if tag.name == "source" and tag.attributes.get("id", "") in cited]
        opinion = judge_claim(claim.content, sources, question)
        quotes = [opinion.quote] if opinion.quote else []
        judged.append({"claim_id": number, "quotes": quotes, "justification": opinion.reason, "label": opinion.label})
    return {"claims": judged}


_RULES: dict[str, Callable[[str], dict[str, Any]]] = {
    "ReportClaims": lambda prompt: _extracted(prompt, values=[]),
    "ClaimsAndPicks": lambda prompt: {**_extracted(prompt, values=[]), "picks": []},
    "CitedClaims": lambda prompt: _extracted(prompt, only_cited=True),
    "AllClaims": _extracted,
    "ClaimsSupport": _all_supported,
    "Support": _supported,
}
