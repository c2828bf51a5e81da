"""A recorded run as its reader sees it: in the terminal, as markdown, or as one JSON document."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from drretail.cli.output import say

if TYPE_CHECKING:
    from drretail.agents.runner import Recorded


def print_report(recorded: "Recorded", kept_in: Path | None = None) -> None:
    """The report with numbered references on stdout, or why there is none on stderr."""
    run = recorded.run
    if run.error is not None:
        say(f"The run failed ({run.error.kind}): {run.error.message}")
        return
    text = markdown_report(recorded)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text, hyperlinks=True))
    else:
        typer.echo(text)
    say(closing_line(recorded, kept_in))


def markdown_report(recorded: "Recorded") -> str:
    """The report in markdown, ids replaced by numbered links."""
    from drretail.grounding.render import render_report

    return render_report(recorded.run.report or "", recorded.evidence).text


def closing_line(recorded: "Recorded", kept_in: Path | None) -> str:
    """What the research took, in one line."""
    from drretail.agents.tally import Ended

    run = recorded.run
    ended = Ended.of(run, before=False)
    unresolved = sum(citation.type == "unresolved" for citation in run.citations)
    parts = [f"{ended.tool_calls} tool calls", f"{len(run.citations)} citations", f"{ended.tokens:,} tokens"]
    if ended.calls_failed:
        parts[0] += f" ({ended.calls_failed} unavailable or timed out)"
    if unresolved:
        parts.append(f"{unresolved} citations resolve to nothing")
    if run.failed_branches:
        parts.append(f"{len(run.failed_branches)} researchers came back with nothing")
    if run.struck:
        parts.append(f"{len(run.struck)} statements struck")
    if run.stop != "finished":
        parts.append(f"stopped by {run.stop}")
    kept = f" Kept in {kept_in}." if kept_in is not None else ""
    return f"{run.system}: {', '.join(parts)}.{kept}"


def report_document(recorded: "Recorded") -> dict[str, Any]:
    """The run with its report rendered, for --json."""
    from drretail.grounding.render import render_report

    run = recorded.run.model_dump(mode="json", exclude_none=True)
    if recorded.run.report is None:
        return {"run": run}
    rendered = render_report(recorded.run.report, recorded.evidence)
    references = [reference.model_dump(mode="json", exclude_none=True) for reference in rendered.references]
    return {"run": run, "report_markdown": rendered.text, "references": references}
