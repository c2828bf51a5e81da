"""The lines that show a person, live, what an agent looks up and what it finds."""

import json
from typing import Any

from drretail.grounding.report.picks import take_picks
from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.wording import format_money, short_title
from drretail.progress import Progress
from drretail.records.run import Step
from drretail.records.tables.figures import counted

Value = dict[str, Any]
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
    finding = _summary(step.name or "", json.loads(text) if text else {})
    return f"{where}  {step.name}{_cut(call, 110)}{f' → {finding}' if finding else ''}"


def _summary(tool: str, value: Value) -> str:
    """What a call found, in a few words; empty if the tool's name says enough."""
    match tool:
        case "product_catalog_search":
            best = next(iter(whole_items(value, "hits")), None)
            if best is None:
                return "nothing"
            price = "no price" if best.get("price") is None else format_money(best["price"], best["currency"])
            return f"{counted(value['total'], 'product')}, first: {short_title(best['title'], 60)} ({price})"
        case "get_product_details":
            return short_title(value["title"], 80)
        case "get_user_orders":
            return counted(value["total"], "order")
        case "get_user_profile":
            return f"{value['first_name']} in {value['address']['city']}, {value['address']['state']}"
        case "get_user_statistics":
            top = ", ".join(entry["name"] for entry in value.get("top_categories", [])[:3])
            return counted(value["orders"], "order") + (f", mostly {top}" if top else "")
        case "web_search":
            first = value["results"][0]["title"] if value["results"] else None
            return "nothing" if first is None else f"{counted(value['shown'], 'page')}, first: {first}"
        case "calculator":
            return str(value["value"])
        case "LaunchResearcher":
            report = value["report"]
            return f"{counted(len(report['insights']), 'insight')}, {counted(len(report['sources']), 'source')}"
        case "search_sandbox":
            return counted(len(value["pages"]), "page")
        case "read_file":
            return "unverifiable" if "state" in value else "found" if value["found"] else "nothing"
        case _:
            return ""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
