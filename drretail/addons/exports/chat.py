"""Runs as chat JSONL (OpenAI's format, with tools): one conversation each, for fine-tuning and replay in the gym, or
one conversation for each role of a run, from its journal.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.addons.exports.selection import Chosen, Selection
from drretail.agents.information import recorded_instructions, shopper_context
from drretail.experiment import Definition, read_journal, read_results
from drretail.files import write_lines
from drretail.grounding.report.picks import picks_block
from drretail.journal import Effect
from drretail.records.base import canonical_json, sha256_of
from drretail.records.query import Query
from drretail.records.run import ASK_SHOPPER, Run, Step, System
from drretail.records.tables.figures import counted
from drretail.tools.registry import SUBMIT, nine_of, openai_schemas, submit_schema, tools_of
from drretail.tools.users import ASKING

Message = dict[str, Any]


def write(selection: Selection, to: Path) -> str:
    """Writes one line per run: instructions and question, its calls with their results, and what it handed in.

    A run that a system made twice word by word, such as a rollout that was saved twice, is one line.
    """
    written: set[str] = set()

    def lines(chosen: Chosen) -> Iterator[dict[str, Any]]:
        system = selection.definition.systems[chosen.run.system]
        messages = conversation(chosen.run, chosen.query, chosen.folder, selection.definition)
        made = sha256_of([chosen.run.system, chosen.run.query_id, messages])
        if made not in written:
            written.add(made)
            yield {"messages": messages, "tools": tools_for(system), **about(chosen)}

    return write_chats(selection, to, lines, "the same word by word as another")


def write_chats(
    selection: Selection, to: Path, lines_of: Callable[[Chosen], Iterable[dict[str, Any]]], lack: str
) -> str:
    """Writes each run's conversations, and returns how many there are; ``lack`` says what runs without any lack."""
    totals = {"runs": 0, "lines": 0}

    def lines() -> Iterator[str]:
        for chosen in selection:
            rows = (selection.shown(line, chosen.query.query_id) for line in lines_of(chosen))
            of_run = [json.dumps(row, ensure_ascii=False) for row in rows]
            totals["runs"] += bool(of_run)
            totals["lines"] += len(of_run)
            selection.left_out[lack] += not of_run
            yield from of_run
        if not totals["lines"]:
            raise selection.nothing_left()

    write_lines(to, lines())
    return f"{counted(totals['lines'], 'conversation')} of {counted(totals['runs'], 'run')}"


def about(chosen: Chosen) -> dict[str, Any]:
    """Which run a conversation belongs to, and its scores."""
    run = chosen.run
    scores = {f"{score.metric} {score.variant}": score.value for score in chosen.got if score.value is not None}
    return {
        "run_id": run.run_id,
        "system": run.system,
        "query_id": run.query_id,
        "repeat": run.repeat,
        "scores": scores,
    }


def conversation(run: Run, query: Query, folder: Path, definition: Definition) -> list[Message]:
    """The run as a policy of the gym would have made it, whatever its agent is.

    The report is handed in with ``submit_report``, with its block of picks. Calls by which an agent of several roles
    directs itself are left out. An imported report keeps the form in which it came.
    """
    system, results = definition.systems[run.system], read_results(folder)
    messages: list[Message] = [{"role": "user", "content": _asked(query, system, definition)}]
    for text, steps in _turns(run, results):
        calls = [(f"call_{step.path}_{step.seq}", step) for step in steps]
        made = [chat_call(call_id, step.name or "", step.args or {}) for call_id, step in calls]
        messages.append({"role": "assistant", "content": text, "tool_calls": made})
        messages += [
            {"role": "tool", "tool_call_id": call_id, "content": results.get(step.result_sha or "", step.error or "")}
            for call_id, step in calls
        ]
    if run.report is not None and system.is_imported:
        messages.append({"role": "assistant", "content": run.report})
    elif run.report is not None:
        block = "" if run.picks is None else f"\n\n{picks_block(run.picks, run.outcome)}"
        call = chat_call("call_report", SUBMIT, {"report": f"{run.report.rstrip()}{block}"})
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
    return messages


def tools_for(system: System) -> list[dict[str, Any]]:
    """The schemas of the tools that a system had, ``submit_report`` last; none for imported reports."""
    if system.is_imported:
        return []
    nine = nine_of(system.web_mode, tools_of(system.options.get("without", ())))
    nine = nine if system.information == "tools" else {}
    asking = {ASKING.name: ASKING} if system.intent == "asked" else {}
    return [*openai_schemas(nine | asking), submit_schema()]


def _asked(query: Query, system: System, definition: Definition) -> str:
    if system.is_imported or definition.now is None:
        return query.text
    limits = shopper_context(system.information, query) if system.information in ("context", "persona") else ""
    question = "\n\n".join(filter(None, (query.text, limits)))
    asks = system.intent == "asked" and bool(query.hidden or query.questions)
    return recorded_instructions(question, query.user_id, definition.now, asks=asks)


def _turns(run: Run, results: dict[str, str]) -> Iterator[tuple[str, Sequence[Step]]]:
    """The tool calls by turn, each with what the agent said before them, as far as it is recorded."""
    ours = {*nine_of("snippets"), ASK_SHOPPER, *run.tools}
    text, turn = "", list[Step]()
    for step in run.steps:
        is_call = step.kind == "tool"
        if not is_call or (turn and not _goes_on(turn[0], step, follows_model=bool(run.usage))):
            if turn:
                yield text, turn
            text, turn = "" if is_call else results.get(step.result_sha or "", ""), []
        # What a team's members ask of one another is no call of a tool.
        if is_call and (step.name in ours or not run.usage):
            turn.append(step)
    if turn:
        yield text, turn


def _goes_on(first: Step, step: Step, *, follows_model: bool) -> bool:
    """True if a call belongs to the turn of the ``first``. Where models' turns are recorded, they begin each turn."""
    return step.path == first.path and (follows_model or step.turn is not None)


def message_text(content: Any) -> str:
    """The words of a message, without what a provider puts beside them (thoughts, marks of its cache)."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)


def chat_call(call_id: str, name: str, args: Any) -> dict[str, Any]:
    """A call of a tool in a message."""
    arguments = json.dumps(args, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def write_roles(selection: Selection, to: Path) -> str:
    """Writes one line per conversation of a run with a model."""
    return write_chats(selection, to, _lines, "without a journal")


def _lines(chosen: Chosen) -> Iterator[dict[str, Any]]:
    for last in last_requests(read_journal(chosen.folder)):
        messages = [_chat_message(message) for message in last.request["messages"]]
        messages.append(_chat_message((last.response or {}) | {"role": "ai"}))
        place = {"role": last.role or "", "path": last.scope, "model": str(last.request["model"])}
        tools = last.request.get("tools") or _answering(last)
        yield {"messages": messages, "tools": tools, **place, **about(chosen)}


def last_requests(effects: Iterable[Effect]) -> Iterator[Effect]:
    """The last request of each conversation in a run's journal, which holds all before it, in the order in which they
    began. A request that continues an earlier one belongs to the same conversation.
    """
    open_ones: dict[tuple[str, str], list[list[Effect]]] = {}
    begun: list[list[Effect]] = []
    for effect in effects:
        if effect.kind != "model" or effect.response is None:
            continue
        threads = open_ones.setdefault((effect.scope, effect.role or ""), [])
        # A request that begins with the messages of an earlier one continues its conversation.
        messages = effect.request["messages"]
        earlier = ((thread, thread[-1].request["messages"]) for thread in reversed(threads))
        goes_on = (
            thread
            for thread, before in earlier
            if len(messages) > len(before) and canonical_json(messages[: len(before)]) == canonical_json(before)
        )
        thread = next(goes_on, None)
        if thread is None:
            thread = []
            threads.append(thread)
            begun.append(thread)
        thread.append(effect)
    yield from (thread[-1] for thread in begun)


def _chat_message(message: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": _ROLES[message["role"]], "content": message_text(message.get("content"))}
    if message.get("tool_calls"):
        made["tool_calls"] = [chat_call(each["id"], each["name"], each["args"]) for each in message["tool_calls"]]
    return made | {key: message[key] for key in ("tool_call_id",) if key in message}


def _answering(last: Effect) -> list[dict[str, Any]]:
    """The schema that an answer had to fit, as the tool through which the provider received it."""
    schema, called = last.request.get("schema"), (last.response or {}).get("tool_calls") or ()
    if schema is None:
        return []
    about = {"description": schema.get("description", ""), "parameters": schema}
    return [{"type": "function", "function": {"name": call["name"], **about}} for call in called[:1]]
