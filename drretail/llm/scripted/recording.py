"""Makes a script of the answers that models gave in an experiment, to be played elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.experiment import read_definition
from drretail.files import write_json
from drretail.journal import Effect, read_effects
from drretail.llm.scripted.script import Rule, Script, ScriptedAnswer, ScriptedCall, digest_of
from drretail.parsing import json_or_none
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Recording:
    """A script, and how much was left out of it."""

    script: Script
    answers: int
    ambiguous: int
    """Answers that are left out because the same question was answered differently before, as in a repeat."""
    failures: int
    """Failed calls, which are left out too."""


def record(
    experiment: Path, to: Path, *, systems: Sequence[str] = (), judges: Sequence[str] = (), repeat: int = 1
) -> Recording:
    """Writes the answers of an experiment's models as a script to ``to`` (.json), to be played as ``scripted:TO``.

    They are from the runs of ``systems`` (labels; all systems if empty) in one repeat, and from ``judges`` (names of
    folders below verdicts/*/; none if empty). Conversations are recognised by the data they open with, whatever the
    prompts around it say, so the script serves the same queries over the same world. Raises UserError if no answer is
    found.
    """
    known = read_definition(experiment).systems
    labels = systems or tuple(known)
    runs = [
        path
        for label in labels
        for folder in sorted((experiment / "runs" / label).glob(f"*-r{repeat}"))
        for path in sorted(folder.glob("journal.jsonl*"))
    ]
    judged = [
        path for judge in judges for path in sorted((experiment / "verdicts").glob(f"*/{judge}/*/*.journal.jsonl"))
    ]
    recording = script_of((*runs, *judged))
    write_json(to, recording.script.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True))
    return recording


def script_of(journals: Iterable[Path]) -> Recording:
    """A script of the answers in these journals. Raises UserError if there are none."""
    rules: dict[tuple[Any, ...], Rule] = {}
    answers = ambiguous = failures = 0
    for journal in journals:
        for effect in read_effects(journal):
            if effect.kind != "model":
                continue
            if effect.error is not None:
                failures += 1
                continue
            rule = _rule(effect, journal)
            key = rule.opening, rule.tools, rule.schema_name, rule.turn
            answers += key not in rules
            ambiguous += key in rules and rules[key].answer != rule.answer
            rules.setdefault(key, rule)
    if not rules:
        raise UserError("There is no answer of a model to record: name an experiment with runs that asked one.")
    return Recording(Script(rules=tuple(rules.values())), answers, ambiguous, failures)


def _rule(effect: Effect, journal: Path) -> Rule:
    messages: list[dict[str, Any]] = effect.request["messages"]
    schema = effect.request.get("schema")
    opening = next((message["content"] for message in messages if message["role"] == "human"), "")
    return Rule(
        tools=tuple(tool["function"]["name"] for tool in effect.request.get("tools", ())),
        turn=1 + sum(message["role"] == "ai" for message in messages),
        schema="" if schema is None else str(schema.get("title", "")),
        opening=digest_of(opening if isinstance(opening, str) else str(opening)),
        note=" ".join(filter(None, (journal.parent.name, effect.scope, effect.role))),
        answer=_answer(effect, asked_in_schema=schema is not None),
    )


def _answer(effect: Effect, *, asked_in_schema: bool) -> ScriptedAnswer:
    """The answer of one effect. A judge's journal holds the text of an answer, a run's the whole message."""
    from langchain_core.messages import AIMessage

    message = AIMessage.model_validate(effect.response) if isinstance(effect.response, dict) else None
    usage = None if effect.usage is None else Usage(**effect.usage)
    calls = (
        ()
        if message is None
        else tuple(ScriptedCall(name=call["name"], args=call["args"]) for call in message.tool_calls)
    )
    text = str(effect.response) if message is None else message.text
    if asked_in_schema:
        answer_: Any = calls[0].args if calls else json_or_none(text)
        if isinstance(answer_, dict):
            return ScriptedAnswer(structured=answer_, usage=usage)
    return ScriptedAnswer(text=text, calls=calls, usage=usage)
