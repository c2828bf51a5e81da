"""How an answer was made, according to a log: steps, what tools returned, and the evidence in it.

What a tool returned is what the assistant saw. In JSON results every object with an address is a page, and every object
with an id, a name and a price is a product.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any, cast

from drretail.addons.imports.conversation import ASSISTANT, Conversation
from drretail.addons.imports.material import Trace
from drretail.env.web.cleaning import LONGEST_TITLE, clean_line
from drretail.parsing import json_or_none
from drretail.records.base import canonical_json, sha256_of
from drretail.records.evidence import Evidence, EvidenceText, TextForm
from drretail.records.run import Step
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.evidence_ids import (
    calculation_evidence_id,
    normalise_expression,
    normalise_url,
    parse_evidence_id,
    product_evidence_id,
    web_evidence_id,
)
from drretail.reports.text.numerals import work_out
from drretail.reports.text.untrusted import harmless

_ADDRESSES = ("url", "link", "href", "uri", "product_url")
_NAMES = ("title", "name", "product_title", "product_name")
_PRODUCT_IDS = ("product_id", "asin", "sku", "item_id", "handle", "id")
_WHOLE_TEXTS = ("content", "text", "page_content", "raw_content", "markdown", "body")
_SHORT_TEXTS = ("snippet", "description", "summary")
_PRICE = re.compile(r"price|cost", re.IGNORECASE)


def trace_of(conversation: Conversation) -> Trace:
    """The steps of a conversation in order, what its tools returned, and the evidence in it."""
    steps: list[Step] = []
    texts: dict[str, str] = {}
    evidence: dict[str, Evidence] = {}
    for place, message in enumerate(conversation.messages):
        if message.role != ASSISTANT:
            continue
        # Call ids are unique within a turn, but in some logs not across turns. Without ids, two calls of a name have
        # their results in the same order.
        following = takewhile(lambda later: later.role != ASSISTANT, conversation.messages[place + 1 :])
        results = defaultdict[str, deque[tuple[str, bool]]](deque)
        for call_id, text, failed in chain.from_iterable(later.results for later in following):
            results[call_id].append((text, failed))
        steps.append(Step(path="0", seq=len(steps) + 1, kind="model", role=ASSISTANT, name=conversation.model))
        for call_id, name, arguments in message.calls:
            if call_id and results[call_id]:  # a later result of the same call replaces the first
                text, is_error = results[call_id].pop()
            else:
                text, is_error = results[name].popleft() if results[name] else (None, True)
            seq = len(steps) + 1
            parsed = json_or_none(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
            args = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None
            entries = [] if text is None or is_error else [*evidence_in(text, seq, args), *_worked_out(args, text, seq)]
            for entry in entries:
                held = evidence.setdefault(entry.id, entry)
                shas = {shown.sha256 for shown in held.texts}
                texts_of = (*held.texts, *(shown for shown in entry.texts if shown.sha256 not in shas))
                evidence[entry.id] = held.model_copy(update={"texts": texts_of})
            if text is not None:
                texts[sha256_of(text)] = text
            steps.append(
                Step(
                    path="0",
                    seq=seq,
                    kind="tool",
                    role=ASSISTANT,
                    name=name or "tool",
                    args={"text": str(arguments)} if args is None else args,
                    result_sha=None if text is None else sha256_of(text),
                    evidence=tuple(dict.fromkeys(entry.id for entry in entries)),
                    error="no result in the log" if text is None else clean_line(text, 200) if is_error else None,
                )
            )
    return Trace(tuple(steps), texts, tuple(evidence.values()), conversation.usage)


def evidence_in(result: str, seq: int, args: Mapping[str, Any] | None = None) -> Iterator[Evidence]:
    """The pages and products in a tool's result. None can be told apart in a result that is not JSON. An object that
    does not name itself is of the product that the call named.
    """
    whole = json_or_none(result)
    asked = next((args[name] for name in _PRODUCT_IDS if args and isinstance(args.get(name), str | int)), None)
    if isinstance(whole, dict) and asked is not None and whole.keys().isdisjoint(_NAMES):
        whole = cast("dict[str, Any]", whole) | {"product_id": asked, "title": str(asked)}
    waiting = deque[Any]([whole])
    while waiting:
        inner = waiting.popleft()
        if isinstance(inner, dict):
            entry = _entry(cast("dict[str, Any]", inner), seq)
            if entry is not None:
                yield entry
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner


def _worked_out(args: Mapping[str, Any] | None, result: str, seq: int) -> Iterator[Evidence]:
    """The calculation of another's calculator, whatever its names: arithmetic in the call, its value in the result."""
    for expression in map(str, (args or {}).values()):
        parts = work_out(expression)
        if len(parts) < 2:  # a number alone is no calculation
            continue
        if any(amount.agreement(parts[-1]) in ("equal", "rounded") for amount in find_amounts(result)):
            key = normalise_expression(expression)
            shown = _shown(f"{expression} = {parts[-1]:f}", "record", seq)
            yield Evidence(
                id=calculation_evidence_id(expression), kind="calculation", key=key, title=expression, texts=(shown,)
            )


def _entry(value: dict[str, Any], seq: int) -> Evidence | None:
    def text_of(names: Sequence[str]) -> str:
        return next((text for name in names if isinstance(text := value.get(name), str) and text.strip()), "")

    title = clean_line(text_of(_NAMES), LONGEST_TITLE)
    url = text_of(_ADDRESSES)
    url = url if url.startswith(("https://", "http://")) else ""
    keys = (value.get(name) for name in _PRODUCT_IDS)
    key = next(
        (str(key_text) for key_text in keys if isinstance(key_text, str | int) and not isinstance(key_text, bool)), ""
    )
    evidence_id = str(value.get("evidence"))  # as our own tools write it
    kind = parse_evidence_id(evidence_id)
    if kind is None and title and any(map(_PRICE.search, value)):
        evidence_id = product_evidence_id(key)
        kind = parse_evidence_id(evidence_id)
    if kind is not None and kind != "web":
        result = value.get("value", value.get("result"))
        is_sum = kind == "calculation" and "expression" in value and result is not None
        shown = _shown(f"{value['expression']} = {result}" if is_sum else canonical_json(value), "record", seq)
        own_key = evidence_id.partition(":")[2]
        return Evidence(
            id=evidence_id, kind=kind, key=own_key, title=title or evidence_id, url=url or None, texts=(shown,)
        )
    if not url:
        return None
    forms: list[tuple[TextForm, Sequence[str]]] = [("snippet", _SHORT_TEXTS), ("page", _WHOLE_TEXTS)]
    shown = [_shown(text, form, seq) for form, names in forms if (text := harmless(text_of(names)))]
    return Evidence(
        id=web_evidence_id(url),
        kind="web",
        key=normalise_url(url),
        title=title or url,
        url=url,
        texts=tuple(shown),
    )


def _shown(text: str, form: TextForm, seq: int) -> EvidenceText:
    return EvidenceText(form=form, text=text, shown=True, path="0", seq=seq)
