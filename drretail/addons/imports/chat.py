"""Logs of an assistant as runs: chat messages with tool calls, OpenTelemetry's GenAI spans, or question and answer.

What a tool returned is what the assistant saw. In JSON results every object with an address is a page, and every object
with an id, a name and a price is a product.
"""

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from drretail.addons.exports.redaction import WORDS
from drretail.addons.imports.material import (
    ROW_FILES,
    ForeignReport,
    ForeignTask,
    Material,
    Row,
    Trace,
    files_under,
    read_rows,
    redacted,
    stem,
)
from drretail.env.web.cleaning import LONGEST_TITLE, clean_line
from drretail.errors import UserError, quoted
from drretail.grounding.report.evidence_ids import (
    normalise_url,
    parse_evidence_id,
    product_evidence_id,
    web_evidence_id,
)
from drretail.grounding.text.untrusted import harmless, visible
from drretail.parsing import json_or_none
from drretail.records.base import canonical_json, sha256_of
from drretail.records.evidence import Evidence, EvidenceText, TextForm
from drretail.records.run import Step, Turn, Usage
from drretail.records.tables.sheets import read_sheet

ASSISTANT = "assistant"
"""The role of the model behind all steps of a log."""
_ROLES = {
    "human": "user",
    "customer": "user",
    "bot": ASSISTANT,
    "ai": ASSISTANT,
    "model": ASSISTANT,
    "function": "tool",
}
_READ_ROLES = frozenset({"user", ASSISTANT, "tool", "system", "developer"})
_UNSEEN_ITEMS = frozenset({"reasoning", "item_reference"})
"""Items of OpenAI's responses that are neither words nor calls."""
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_NO_MESSAGES = (
    "{place} holds spans without messages: have the assistant record them"
    " (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)."
)
_ADDRESSES = ("url", "link", "href", "uri", "product_url")
_NAMES = ("title", "name", "product_title", "product_name")
_PRODUCT_IDS = ("product_id", "asin", "sku", "item_id", "handle", "id")
_WHOLE_TEXTS = ("content", "text", "page_content", "raw_content", "markdown", "body")
_SHORT_TEXTS = ("snippet", "description", "summary")
_PRICE = re.compile(r"price|cost", re.IGNORECASE)
_QUESTION, _ANSWER = "question", "answer"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation in any of the forms that providers write."""

    role: str
    text: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()
    """An assistant's calls: the id, name and arguments of each."""
    results: tuple[tuple[str, str, bool], ...] = ()
    """Tools' results: the id of the call, the text, and whether it is an error."""


@dataclass(slots=True)
class Conversation:
    """The messages of one log, with its usage and model."""

    messages: list[Message]
    row: Row
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


def read(path: Path) -> Material:
    """Reads each conversation as a run: what the shopper wrote is the question, the assistant's answers are the report.

    Several customers may ask the same, so each conversation is a question of its own. One with the words of another,
    under no id or the same id, is counted as repeated.
    """
    material = Material()
    answers: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    unasked = ""
    for conversation in _conversations(path):
        row = conversation.row
        question = "\n\n".join(message.text for message in conversation.messages if message.role == "user").strip()
        if not question:
            roles = ", ".join(sorted({each.role or "none" for each in conversation.messages}))
            unasked = f"{row.where} has no message of a user, only of the roles {roles}: name them user and assistant."
            material.left_out.append(row.where)
            continue
        system = row.text("agent", "assistant") or stem(row.file)
        task_id = row.text("query_id", "conversation_id", "thread_id", "session_id", "id") or sha256_of(question)[:12]
        turns = turns_of(conversation)
        answer = "\n\n".join(answer for _, answer, _ in turns if answer)
        others = answers[system, task_id, question]
        if answer in others:
            material.repeated += 1
            continue
        others.append(answer)
        task_id += f"-{len(others)}" if len(others) > 1 else ""
        user = row.text("user_id", "user", "customer_id", "customer")
        user = None if user in ("", *WORDS.values()) else user  # a word for what was redacted is nobody's id
        material.add_task(ForeignTask(task_id, question, user_id=user), row.where)
        placed: list[Turn] = []  # the turns with the places of their answers in the report
        for asked, said, steps in turns if len(turns) > 1 else ():
            if said:
                start = placed[-1].end + 2 if placed else 0
                placed.append(Turn(question=asked, start=start, end=start + len(said), steps=steps))
        material.add_report(ForeignReport(system, task_id, answer, row.where, trace_of(conversation), tuple(placed)))
        material.unread_roles.update(each.role for each in conversation.messages if each.role not in _READ_ROLES)
    if unasked and not material.reports:
        raise UserError(unasked)
    return material


def turns_of(conversation: Conversation) -> list[tuple[str, str, int]]:
    """Each message of the user's with the assistant's answer, and how many steps were made up to it.

    What the assistant says beside a call is an answer only if nothing follows, and one without a question is left out.
    """
    turns: list[tuple[str, str, int]] = []
    question, steps = "", 0
    answer: list[Message] = []
    for message in (*conversation.messages, Message("user")):
        if message.role == "user" and answer:
            answers = [visible(each.text).strip() for each in answer if not each.calls or each is answer[-1]]
            turns += [(question, "\n\n".join(filter(None, answers)), steps)] if question else []
            question, answer = message.text, []
        elif message.role == "user":
            question = "\n\n".join(filter(None, (question, message.text)))
        elif message.role == ASSISTANT:
            steps += 1 + len(message.calls)
            answer.append(message)
    return turns


def _conversations(path: Path) -> Iterator[Conversation]:
    traces: dict[str, list[Row]] = defaultdict(list)

    def is_of_log(value: Mapping[str, Any]) -> bool:
        return bool(_messages_in(value)) or ("attributes" in value and bool(_trace_id(value))) or _is_answered(value)

    for file in files_under(path, (*ROW_FILES, ".csv")):
        for row in _table_rows(file, is_named=file == path) if file.suffix == ".csv" else read_rows(file, is_of_log):
            if messages := _messages_in(row.value):
                yield _of_messages(messages, row, row.value.get("usage"))
            elif _is_answered(row.value):
                question, answered = Message("user", row.text(_QUESTION)), Message(ASSISTANT, row.text(_ANSWER))
                yield Conversation([question, answered], row, model=row.text("model") or None)
            else:
                traces[_trace_id(row.value)].append(row)
    if traces:
        held = [conversation for rows in traces.values() if (conversation := _of_spans(rows)) is not None]
        if not held:
            raise UserError(_NO_MESSAGES.format(place=path))
        yield from held


def _table_rows(file: Path, *, is_named: bool) -> Iterator[Row]:
    """The rows of a CSV file with columns for question and answer. Raises UserError if a ``is_named`` file has none."""
    sheet = read_sheet(file)
    if is_named and not {_QUESTION, _ANSWER} <= {*sheet.columns}:
        present = ", ".join(map(quoted, filter(None, sheet.columns))) or "none"
        raise UserError(f"{file} has no columns question and answer: those found are {present}.")
    for number, row in sheet.rows:
        if _is_answered(row):
            yield Row(redacted(dict(row)), file, f"{file}, row {number}")


def _is_answered(value: Mapping[str, Any]) -> bool:
    question = value.get(_QUESTION)
    return isinstance(question, str) and bool(question.strip()) and _ANSWER in value


def _messages_in(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a row, or the input and output of OpenAI's responses; empty if it holds something else."""
    raw, answered = value.get("messages"), value.get("output")
    if raw is None and isinstance(answered, list):
        prompt = value.get("input")
        raw = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else _list(prompt)
        raw = [*raw, *answered]
    messages: list[dict[str, Any]] = []
    for each in raw if isinstance(raw, list) else ():
        if isinstance(each, dict):
            # LangChain's {"type": "human", "data": {…}} becomes one object.
            inner = each.get("data")
            messages.append({**inner, "type": each.get("type")} if isinstance(inner, dict) else each)
    is_chat = any("role" in each or each.get("type") in _ROLES for each in messages)
    return [each for each in messages if each.get("type") not in _UNSEEN_ITEMS] if is_chat else []


def _of_messages(messages: Iterable[Any], row: Row, usage: Any = None) -> Conversation:
    objects = [each for each in messages if isinstance(each, dict)]
    total = sum((_usage(each.get("usage")) for each in objects), _usage(usage))
    model = row.text("model") or next((str(each["model"]) for each in objects if each.get("model")), None)
    read: list[Message] = []
    for each in objects:
        message = _message(each)
        if each.get("type") == "function_call" and read and read[-1].role == ASSISTANT:  # calls of one turn
            read[-1] = replace(read[-1], calls=(*read[-1].calls, *message.calls))
        else:
            read.append(message)
    return Conversation(read, row, total, model)


def _message(value: Mapping[str, Any]) -> Message:
    """A message of OpenAI's, Anthropic's, LangChain's or OpenTelemetry's form."""
    role = str(value.get("role") or value.get("type") or "")
    role = _ROLES.get(role, role)
    if role == "function_call":
        call = str(value.get("call_id", "")), str(value.get("name", "")), value.get("arguments")
        return Message(ASSISTANT, calls=(call,))
    if role == "function_call_output":
        return Message("tool", results=((str(value.get("call_id", "")), _text(value.get("output")), False),))
    texts: list[str] = []
    calls: list[tuple[str, str, Any]] = []
    results: list[tuple[str, str, bool]] = []
    content = value.get("content", value.get("parts"))
    for part in content if isinstance(content, list) else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in ("tool_use", "tool_call"):
            calls.append((str(part.get("id", "")), str(part.get("name", "")), part.get("input", part.get("arguments"))))
        elif kind in ("tool_result", "tool_call_response"):
            result = part.get("content", part.get("result", part.get("response")))
            call_id = str(part.get("tool_use_id", part.get("id", "")))
            results.append((call_id, _text(result), part.get("is_error") is True))
        else:
            texts.append(_text(part))
    for call in value.get("tool_calls") or ():
        if isinstance(call, dict):
            function = call.get("function") or call
            arguments = function.get("arguments", function.get("args"))
            calls.append((str(call.get("id", "")), str(function.get("name", "")), arguments))
    text = "\n".join(part for part in texts if part)
    if role == "tool" and not results:
        return Message(role, results=((str(value.get("tool_call_id", "")), text, value.get("status") == "error"),))
    return Message("tool" if results and not text else role, text, tuple(calls), tuple(results))


def _text(value: Any) -> str:
    """The words of a message's content: of a list of parts those of each typed as text; other values as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(each, dict) and "text" in each for each in value):
        return "\n".join(str(each["text"]) for each in value)
    if isinstance(value, dict) and value.get("type") in ("text", "output_text", "input_text"):
        return _text(value.get("text", value.get("content")))
    return "" if isinstance(value, dict) and "type" in value else json.dumps(value, ensure_ascii=False)


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()

    def tokens(*names: str) -> int:
        return next((count for name in names if isinstance(count := value.get(name), int) and count > 0), 0)

    read = tokens("prompt_tokens", "input_tokens", "gen_ai.usage.input_tokens")
    written = tokens("completion_tokens", "output_tokens", "gen_ai.usage.output_tokens")
    return Usage(calls=1, input_uncached=read, output=written) if read or written else Usage()


def _trace_id(value: Mapping[str, Any]) -> str:
    context = value.get("context")
    inner = context if isinstance(context, dict) else value
    return str(inner.get("trace_id") or inner.get("traceId") or "")


def _attributes(value: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a span and of its events, which may hold the messages.

    SDKs print an object; OTLP sends a list of keys with typed values.
    """
    attributes = value.get("attributes")
    own = attributes if isinstance(attributes, dict) else _plain({"kvlistValue": {"values": attributes}})
    events = [_attributes(event) for event in _list(value.get("events")) if isinstance(event, dict)]
    return reduce(lambda held, event: {**event, **held}, events, cast("dict[str, Any]", own))


def _plain(value: Any) -> Any:
    """A typed value of OTLP, such as {"intValue": "90"}, as the value itself."""
    typed = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    kind, inner = next(iter(typed.items()), ("", ""))
    if kind == "intValue":
        return int(inner) if str(inner).lstrip("-").isdecimal() else None
    if kind not in ("arrayValue", "kvlistValue") or not isinstance(inner, dict):
        return inner
    values = [each for each in _list(cast("dict[str, Any]", inner).get("values")) if isinstance(each, dict)]
    if kind == "arrayValue":
        return [_plain(each) for each in values]
    return {str(each.get("key")): _plain(each.get("value")) for each in values}


def _of_spans(rows: Sequence[Row]) -> Conversation | None:
    """The longest conversation with a model in one trace, with all spans' tokens; None if no span has messages."""

    def messages_of(about: Mapping[str, Any]) -> list[Any]:
        return [*_list(about.get(_INPUT)), *_list(about.get(_OUTPUT))]

    spans = [(row, _attributes(row.value)) for row in rows]
    row, about = max(spans, key=lambda span: len(messages_of(span[1])))
    messages, model = messages_of(about), about.get("gen_ai.request.model")
    if not messages:
        return None
    names = {"agent": about.get("gen_ai.agent.name"), "conversation_id": about.get("gen_ai.conversation.id")}
    conversation = _of_messages(messages, Row({**names, "id": _trace_id(row.value)}, row.file, row.where))
    # The tokens of an agent's span are those of the calls below it.
    calls = (each for _, each in spans if each.get("gen_ai.operation.name") != "invoke_agent")
    conversation.usage, conversation.model = sum(map(_usage, calls), Usage()), str(model) if model else None
    return conversation


def _list(value: Any) -> list[Any]:
    value = json_or_none(value) if isinstance(value, str) else value
    return cast("list[Any]", value) if isinstance(value, list) else []


def trace_of(conversation: Conversation) -> Trace:
    """The steps of a conversation in order, what its tools returned, and the evidence in it."""
    steps: list[Step] = []
    texts: dict[str, str] = {}
    evidence: dict[str, Evidence] = {}
    unread = 0
    for place, message in enumerate(conversation.messages):
        if message.role != ASSISTANT:
            continue
        # Call ids are unique within a turn, but in some logs not across turns.
        following = takewhile(lambda later: later.role != ASSISTANT, conversation.messages[place + 1 :])
        results = {call_id: (text, failed) for later in following for call_id, text, failed in later.results}
        steps.append(Step(path="0", seq=len(steps) + 1, kind="model", role=ASSISTANT, name=conversation.model))
        for call_id, name, arguments in message.calls:
            text, is_error = results.get(call_id, (None, True))
            seq = len(steps) + 1
            parsed = json_or_none(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
            args = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None
            unread += args is None
            entries = [] if text is None or is_error else list(evidence_in(text, seq))
            for entry in entries:
                held = evidence.setdefault(entry.id, entry)
                known = {shown.sha256 for shown in held.texts}
                texts_of = (*held.texts, *(shown for shown in entry.texts if shown.sha256 not in known))
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
    return Trace(tuple(steps), texts, tuple(evidence.values()), conversation.usage, unread)


def evidence_in(result: str, seq: int) -> Iterator[Evidence]:
    """The pages and products in a tool's result. None can be told apart in a result that is not JSON."""
    waiting = deque[Any]([json_or_none(result)])
    while waiting:
        inner = waiting.popleft()
        if isinstance(inner, dict):
            entry = _entry(cast("dict[str, Any]", inner), seq)
            if entry is not None:
                yield entry
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner


def _entry(value: dict[str, Any], seq: int) -> Evidence | None:
    def text_of(names: Sequence[str]) -> str:
        return next((text for name in names if isinstance(text := value.get(name), str) and text.strip()), "")

    title = clean_line(text_of(_NAMES), LONGEST_TITLE)
    url = text_of(_ADDRESSES)
    url = url if url.startswith(("https://", "http://")) else ""
    keys = (value.get(name) for name in _PRODUCT_IDS)
    key = next((str(each) for each in keys if isinstance(each, str | int) and not isinstance(each, bool)), "")
    own = str(value.get("evidence"))  # as our own tools write it
    kind = parse_evidence_id(own)
    if kind is None and title and any(map(_PRICE.search, value)):
        own = product_evidence_id(key)
        kind = parse_evidence_id(own)
    if kind is not None and kind != "web":
        shown = _shown(canonical_json(value), "record", seq)
        own_key = own.partition(":")[2]
        return Evidence(id=own, kind=kind, key=own_key, title=title or own, url=url or None, texts=(shown,))
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
    return EvidenceText(sha256=sha256_of(text), form=form, text=text, shown=True, path="0", seq=seq)
