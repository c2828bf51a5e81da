"""The policy of offline:judge: rules in place of a judge model, so that scoring runs without a key.

The name of the answer schema chooses the rules: the claims of a report with their sources, and whether the records
that a claim cites confirm or contradict it.

Words that a claim shares with a source confirm nothing. Measured on people's labels by benchmarks/offline.py.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.errors import ModelError
from drretail.grounding.report.evidence_ids import calculation_evidence_id, order_evidence_id, product_evidence_id
from drretail.grounding.report.reading import read_by_form
from drretail.grounding.text.layout import Cell, Stretch, read_layout
from drretail.grounding.text.numerals import find_numerals
from drretail.grounding.text.words import (
    STOP_WORDS,
    content_stems,
    content_words,
    is_english,
    is_negation,
    labels,
    stem,
    words,
)
from drretail.grounding.verify.records import Ledger, read_ledger, record_of
from drretail.grounding.verify.values import verify
from drretail.llm.offline.chat import Turn, filled, plain_answer, tags_in
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText
from drretail.records.reading import ReadValue, ValueKind

_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++([.,;:!?])")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]")
_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
# An entry that only names a product, such as "**Fur Bed** [P:…]".
_ONLY_NAMED = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*[:.]?\s*")
# A product's id without its letter, which only a ledger can tell from other words in brackets, unless it has the form
# of the dataset's.
_BARE_ID = re.compile(r"\[(B0[0-9A-Z]{8})\](?!\()")
_FEWEST_WORDS = 3
"""The fewest words and figures of a claim with a source."""
_FEWEST_UNCITED = 4
"""The fewest content words and figures of a claim without a source."""
_FIGURES = re.compile(r"[^\w]*\d[\W\d]*")
# Too short to count otherwise, but what a shop's assistant is asked for: "It costs $59." "The white one is sold out."
_OFFERED = re.compile(r"[$€£]\s?\d|\b(?:in stock|sold out|out of stock|available)\b", re.IGNORECASE)
# Advice, and sentences about the writer, state nothing that a source could support.
_ADVISING = frozenset("should would could might may let let's please i i'd i'm i've me my we".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Found:
    """One claim; ``quote`` is its sentence or row verbatim from the report."""

    claim: str
    quote: str
    sources: tuple[str, ...]


def extract_claims(report: str, *, only_cited: bool) -> list[Found]:
    """The report's claims in order, without those that repeat a claim with the same sources.

    With ``only_cited``, claims without a source are left out.
    """
    # Products that a report names by ids without a letter, as a ledger would have them.
    bare = {f"P:{key}": Evidence(id=f"P:{key}", kind="product", key=key, title=key) for key in _BARE_ID.findall(report)}
    layout = read_layout(report, bare.values() or None)
    rows = {row: list(cells) for row, cells in groupby(layout.cells, key=lambda cell: cell.sentence)}
    stretches = {row: list(own) for row, own in groupby(layout.stretches, key=lambda stretch: stretch.sentence)}
    claims: dict[tuple[str, tuple[str, ...]], Found] = {}
    heads: Mapping[int, str] = {}
    name, of_name = "", tuple[str, ...]()
    for index, sentence in enumerate(layout.sentences):
        stated: Iterator[tuple[str, tuple[str, ...]]] = iter(())
        if sentence.kind == "table_head":
            heads = {cell.column: _plain(layout.text[cell.start : cell.end]) for cell in rows.get(index, ())}
        elif sentence.kind == "row":
            named = heads if sentence.head else {}
            stated = _of_row(layout.text, rows.get(index, ()), stretches.get(index, ()), named)
        elif sentence.kind != "entry":
            text, cited = layout.text[sentence.start : sentence.end], layout.cited.get(index, ())
            if sentence.kind == "heading" or _ONLY_NAMED.fullmatch(text):
                name, of_name = _plain(text).strip("# :."), cited
            elif name and _FIGURES.fullmatch(text) and (cited or of_name or _OFFERED.search(text)):
                # a price on a line of its own, below nothing but a name
                stated = iter([(f"{name}: {_plain(text)}", cited or of_name)])
            else:
                name, stated = "", _of_text(text, cited)
        for claim, named in stated:
            sources = tuple(bare[one].key if one in bare and one not in report else one for one in named)
            if sources or not only_cited:
                quote = report[sentence.start : sentence.end]
                claims.setdefault((claim.casefold(), sources), Found(claim, quote, sources))
    return list(claims.values())


def _of_text(text: str, sources: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentence as a claim, if it can be true or false; without a source, no advice and no short fragments."""
    claim = _plain(text)
    if _QUESTION.search(claim):
        return
    spoken, figures = list(words(claim)), re.findall(r"\d+", claim)
    length = len(content_words(claim)) + len(figures)
    if sources:
        is_claim = length > 0 and len(spoken) + len(figures) >= _FEWEST_WORDS
    else:
        is_statement = bool(figures or claim.endswith((".", "!")) or STOP_WORDS & set(spoken))
        is_claim = is_statement and length >= _FEWEST_UNCITED and not _ADVISING & set(spoken)
        is_claim = is_claim or (length > 0 and len(spoken) > 1 and _OFFERED.search(claim) is not None)
    if is_claim:
        yield claim, sources


def _of_row(
    report: str, cells: Sequence[Cell], stretches: Sequence[Stretch], heads: Mapping[int, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """One claim per row, or one per cell if the cells name different sources."""
    texts = {cell.column: _plain(report[cell.start : cell.end]) for cell in cells}
    own = {
        cell.column: tuple(
            source
            for stretch in stretches
            if cell.start <= stretch.start and stretch.end <= cell.end
            for source in stretch.cited
        )
        or cell.subjects
        for cell in cells
    }
    filled = [column for column, text in texts.items() if column and text]
    label = texts.get(0, "")
    if len({own[column] for column in filled}) > 1:
        for column in filled:
            named = filter(None, (heads.get(column), f"{label}: {texts[column]}"))
            yield "; ".join(named), own[column] or own[0]
    elif filled:
        parts = (": ".join(filter(None, (heads.get(column), texts[column]))) for column in filled)
        yield "; ".join(filter(None, (label, *parts))), tuple(dict.fromkeys(chain(*own.values())))


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
    of_labels = (stem(word) for named in labels(english=True).values() for word in named)
    known = {*content_stems(" ".join([*names, *of_fields])), *of_labels}
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


def _quote(value: ReadValue, sources: Sequence[str]) -> str:
    """The field that decides a value, as it stands in its record, or the beginning of a source without fields."""
    name = _FIELDS.get(value.kind) or (value.derivation or "").removeprefix("the record says ").partition(": ")[0]
    field = re.compile(rf'"{re.escape(name)}"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^,}}\]]+)')
    own = [source for source in sources if any(one.removeprefix("P:") in source for one in value.of)] or sources
    return next((match[0] for source in own if (match := field.search(source))), own[0][:_LONGEST_QUOTE])


QUESTION = "Q"
"""The id of the shopper's question among the sources."""


def judge(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The answer in the requested schema: a call of the bound tool, or JSON if a ``<schema>`` tag asks for it."""
    turn = Turn(messages, tools, choice)
    schema = turn.schema
    if schema is None:
        return plain_answer(turn)
    # Later human messages only ask for repairs of the answer.
    prompt = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    rule = _RULES.get(str(schema.get("title", "")))
    if rule is not None and not is_english("\n".join(tag_contents("report", prompt))):
        raise ModelError("refusal", "offline:judge reads English, and this is in another language: judge by a model")
    return turn.in_schema(filled(schema, "") if rule is None else rule(prompt))


def tag_contents(name: str, text: str) -> list[str]:
    """The contents of the outermost tags of this name, in order."""
    return [tag.content for tag in tags_in(text) if tag.name == name]


def _extracted(prompt: str, *, only_cited: bool = False, **fields: Any) -> dict[str, Any]:
    report = "\n".join(tag_contents("report", prompt))
    found = extract_claims(report, only_cited=only_cited)
    return {
        "claims": [
            {"claim_id": number, "claim": each.claim, "quote": each.quote, "sources": list(each.sources), **fields}
            for number, each in enumerate(found, 1)
        ]
    }


def _supported(prompt: str) -> dict[str, Any]:
    opinion = judge_claim("\n".join(tag_contents("claim", prompt)), tag_contents("source", prompt))
    label = "no_support" if opinion.label == "contradicted" else opinion.label  # the paper's labels have no other
    return {"support": label, "justification": opinion.reason, "quote": opinion.quote}


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


def _confirmed(prompt: str) -> dict[str, Any]:
    """Confirms all that a record contradicts, by the words that it questions."""
    items = [tag.content for tag in tags_in(prompt) if tag.name == "claim"]
    words = [item.partition("\nits words: ")[2].partition("\n")[0] for item in items]
    return {
        "confirmations": [
            {"claim_id": number, "quote": quote, "justification": "the record says otherwise", "confirmed": True}
            for number, quote in enumerate(words, 1)
        ]
    }


_RULES: dict[str, Callable[[str], dict[str, Any]]] = {
    "ReportClaims": lambda prompt: _extracted(prompt, values=[]),
    "ClaimsAndPicks": lambda prompt: {**_extracted(prompt, values=[]), "picks": []},
    "CitedClaims": lambda prompt: _extracted(prompt, only_cited=True),
    "AllClaims": _extracted,
    "ClaimsSupport": _all_supported,
    "Support": _supported,
    "Confirmations": _confirmed,
}
