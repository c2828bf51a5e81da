"""Runs as chat JSONL (OpenAI's format, with tools): one conversation each, for fine-tuning and replay in the gym."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from drretail.addons.exports.selection import Chosen, Selection
from drretail.agents.information import recorded_instructions, shopper_context
from drretail.experiments.experiment import Definition
from drretail.experiments.run_file import read_results
from drretail.files import write_lines
from drretail.records.base import sha256_of
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.run import Run, Step, System
from drretail.reports.picks import picks_block
from drretail.tools.registry import SUBMIT, nine_of, openai_schemas, submit_schema, tools_of

Message = dict[str, Any]


def write(selection: Selection, to: Path) -> str:
    """Writes one line per run: instructions and question, its calls with their results, and what it handed in.

    A run that a system made twice word by word, such as a rollout that was saved twice, is one line.
    """
    written: set[str] = set()

    def lines() -> Iterator[str]:
        for chosen in selection:
            system = selection.definition.systems[chosen.run.system]
            messages = conversation(chosen.run, chosen.query, chosen.path, selection.definition)
            digest = sha256_of([chosen.run.system, chosen.run.query_id, messages])
            if digest in written:
                selection.account.use(-1)  # it was counted when it was read
                selection.account.merge("the same word by word as another")
                continue
            written.add(digest)
            row = {"messages": messages, "tools": tools_for(system), **_about(chosen)}
            yield json.dumps(selection.shown(row, chosen.query.query_id), ensure_ascii=False)
        if not written:
            raise selection.nothing_left()

    write_lines(to, lines())
    return counted(len(written), "conversation")


def _about(chosen: Chosen) -> dict[str, Any]:
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


def conversation(run: Run, query: Query, path: Path, definition: Definition) -> list[Message]:
    """The run as a policy of the gym would have made it, whatever its agent is.

    The report is handed in with ``submit_report``, with its block of picks. Calls by which an agent of several roles
    directs itself are left out. An imported report keeps the form in which it came.
    """
    system, results = definition.systems[run.system], read_results(path)
    messages: list[Message] = [{"role": "user", "content": _asked(query, system, definition)}]
    for text, steps in _turns(run, results):
        calls = [(f"call_{step.path}_{step.seq}", step) for step in steps]
        tool_calls = [chat_call(call_id, step.name or "", step.args or {}) for call_id, step in calls]
        messages.append({"role": "assistant", "content": text, "tool_calls": tool_calls})
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
    return [*openai_schemas(nine if system.information == "tools" else {}), submit_schema()]


def _asked(query: Query, system: System, definition: Definition) -> str:
    if system.is_imported or definition.now is None:
        return query.text
    limits = shopper_context(system.information, query) if system.information in ("context", "persona") else ""
    question = "\n\n".join(filter(None, (query.text, limits)))
    return recorded_instructions(question, query.user_id, definition.now)


def _turns(run: Run, results: dict[str, str]) -> Iterator[tuple[str, Sequence[Step]]]:
    """The tool calls by turn, each with what the agent said before them, as far as it is recorded."""
    ours = {*nine_of("snippets"), *run.tools}
    text, turn = "", list[Step]()
    for step in run.steps:
        is_call = step.kind == "tool"
        # Where models' turns are recorded, they begin each turn.
        goes_on = not turn or (step.path == turn[0].path and (bool(run.usage) or step.turn is not None))
        if not is_call or not goes_on:
            if turn:
                yield text, turn
            text, turn = "" if is_call else results.get(step.result_sha or "", ""), []
        # What a team's members ask of one another is no call of a tool.
        if is_call and (step.name in ours or not run.usage):
            turn.append(step)
    if turn:
        yield text, turn


def chat_call(call_id: str, name: str, args: Any) -> dict[str, Any]:
    """A call of a tool in a message."""
    arguments = json.dumps(args, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
