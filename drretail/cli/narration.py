"""The lines that show a person, live, what an agent looks up and what it finds."""

import json
from typing import Any

from drretail.grounding.report.picks import take_picks
from drretail.grounding.text.wording import short_title
from drretail.progress import Progress
from drretail.records.run import Step

SUBJECTS = ("query", "question", "expression", "product_id", "order_id", "sub_problem", "thought")
ROLES_THAT_ANSWER_IN_JSON = ("summariser", "synthesis")
UNTOLD = ("user_id", "limit", "offset")


def narrate(progress: Progress, step: Step, text: str) -> None:
    """A runner's ``on_step`` that shows each step in a line."""
    line = step_line(step, text)
    if line is not None:
        progress.note(line)


def step_line(step: Step, text: str) -> str | None:
    """One line about a step; None if there is nothing worth showing."""
    where = f"[{step.path}] " if "." in step.path else ""
    if step.error is None and step.role in ROLES_THAT_ANSWER_IN_JSON and step.kind != "tool":
        return None if step.role == "summariser" else f"{where}· findings consolidated"
    if step.kind != "tool":
        thought = " ".join(take_picks(text).report.split()) if step.error is None else f"the model failed: {step.error}"
        return f"{where}· {_cut(thought, 160)}" if thought and not thought.startswith(("#", "{")) else None
    if step.error is not None:
        return f"{where}  {step.name}: {_cut(step.error, 140)}"
    args = step.args or {}
    subject = next((json.dumps(args[name], ensure_ascii=False) for name in SUBJECTS if name in args), "")
    filters = ", ".join(f"{name} {value}" for name, value in args.items() if name not in (*SUBJECTS, *UNTOLD))
    call = (f" {subject}" if subject else "") + (f" ({filters})" if filters else "")
    finding = _summary(json.loads(text)) if text else ""
    return f"{where}  {step.name}{_cut(call, 110)}{f' → {finding}' if finding else ''}"


def _summary(value: dict[str, Any]) -> str:
    """What a call brought, in a few words: how many there are, a title or a result; empty for anything else."""
    count, title = value.get("total", value.get("shown")), value.get("title")
    if isinstance(count, int):  # tools of the agent's own say anything under these names
        return f"{count:,} found"
    return short_title(title, 80) if isinstance(title, str) else _cut(str(value.get("value", "")), 80)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
