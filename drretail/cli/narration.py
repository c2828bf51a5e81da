"""The lines that show a person, live, what an agent looks up and what it finds."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from drretail.grounding.report.picks import take_picks
from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.wording import format_money, short_title, wish_lines
from drretail.records.run import Step
from drretail.records.tables.figures import counted
from drretail.screen import console
from drretail.viewer.output import say

if TYPE_CHECKING:
    from drretail.api.recorded import RecordedAnswer


Value = dict[str, Any]
SUBJECTS = ("query", "question", "expression", "product_id", "order_id", "sub_problem", "thought")
ROLES_THAT_ANSWER_IN_JSON = ("summariser", "synthesis")
UNTOLD = ("user_id", "limit", "offset")
CHECK_MODEL = "`drretail doctor --prompts --model M` checks whether a model calls tools."


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
    finding = _found(step.name or "", json.loads(text) if text else {})
    return f"{where}  {step.name}{_asked(step.args or {})}{f' → {finding}' if finding else ''}"


def _asked(args: Value) -> str:
    """The subject of a call, then its filters, without the user and without limit and offset."""
    subject = next((json.dumps(args[name], ensure_ascii=False) for name in SUBJECTS if name in args), "")
    filters = ", ".join(f"{name} {value}" for name, value in args.items() if name not in (*SUBJECTS, *UNTOLD))
    shown = f" {subject}" if subject else ""
    return _cut(f"{shown} ({filters})" if filters else shown, 110)


def _found(tool: str, value: Value) -> str:
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
        case "ask_shopper":
            return str(value["answer"])
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


def print_report(recorded: "RecordedAnswer", kept_in: Path | None = None) -> None:
    """Prints the report with numbered references on stdout. On stderr: the understood wish or why the run failed, and
    what the research took.
    """
    from drretail.agents.running.outcomes import Ended

    run = recorded.run
    if run.error is not None:
        say(f"The run failed ({run.error.kind}): {run.error.message}")
        if run.error.kind == "no_research":
            say(CHECK_MODEL)
        return
    if run.understood is not None:
        for line in ("Understood as", *(f"- {line}" for line in wish_lines(run.understood)), ""):
            say(line)
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        # A link is shown with its address, which the list of sources has too.
        console().print(Markdown(recorded.rendered("plain"), hyperlinks=False))
    else:
        typer.echo(recorded.report)
    # What the research took, in one line
    ended = Ended.of(run, before=False)
    estimated = " (estimated in part)" if any(used.estimated for used in run.usage.values()) else ""
    unresolved = sum(citation.type == "unresolved" for citation in run.citations)
    parts = [
        counted(ended.tool_calls, "tool call"),
        counted(len(run.citations), "citation"),
        f"{ended.tokens:,} tokens{estimated}" if run.usage else "tokens not known",
    ]
    if ended.calls_failed:
        parts[0] += f" ({ended.calls_failed} unavailable or timed out)"
    if unresolved:
        parts.append(f"{counted(unresolved, 'citation')} resolve{'s' if unresolved == 1 else ''} to nothing")
    if run.failed_branches:
        parts.append(f"{counted(len(run.failed_branches), 'researcher')} came back with nothing")
    if summaries := run.losses["page summary"]:
        parts.append(f"{counted(summaries, 'page summary')} came from no model")
    if run.struck:
        parts.append(f"{counted(len(run.struck), 'statement')} struck")
    if run.picks is None:
        parts.append("what belongs in the cart is not known")
    if run.stop != "finished":
        parts.append(f"stopped by {run.stop}")
    kept = f" Kept in {kept_in}." if kept_in is not None else ""
    say(f"{run.system}: {', '.join(parts)}.{kept}")


def report_document(recorded: "RecordedAnswer") -> dict[str, Any]:
    """The run with its rendered report and its cart, for --json."""
    from drretail.grounding.report.render import render_report
    from drretail.viewer.cart import cart_document

    run = recorded.run.model_dump(mode="json", exclude_none=True)
    if recorded.run.report is None:
        return {"run": run}
    rendered = render_report(recorded.run.report, recorded.evidence)
    references = [reference.model_dump(mode="json", exclude_none=True) for reference in rendered.references]
    document = {"run": run, "report_markdown": rendered.text, "references": references}
    return document if recorded.cart is None else document | {"cart": cart_document(recorded.cart)}
