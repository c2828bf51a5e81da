"""An experiment as plain text: conclusions and the scoreboard, then its runs.

In full, each run has its status, marked report, claims and findings, and the tables of every metric follow. In short,
each question has a line.
"""

from collections.abc import Iterator
from shlex import quote
from textwrap import wrap

from drretail.eval.method import method_cards
from drretail.grounding.report.render import render_report
from drretail.records.tables.figures import counted
from drretail.records.tables.result import part_lines
from drretail.records.tables.screen import on_screen
from drretail.viewer.cards import fault_lines
from drretail.viewer.cart import TITLE as TITLE_OF_CART
from drretail.viewer.cart import cart_as_read, cart_text
from drretail.viewer.commands import command_for, commands, score_command
from drretail.viewer.experiment import ExperimentView, RunView
from drretail.viewer.judged import SIGNS, WORDS, counts_of, finding_line
from drretail.viewer.run_lines import setback_sentences
from drretail.viewer.sections import board_details, board_parts, metric_parts
from drretail.viewer.tables.board import about_words
from drretail.viewer.tables.false_statements import false_lines

WIDTH = 80
"""The width of sentences; tables may be wider."""


FEW_RUNS = 6
"""Up to this many runs are read one by one; with more, a reader wants the sum first."""


def text_of(view: ExperimentView, *, details: bool = True) -> str:
    """The text of a view; in short without ``details``."""
    score = score_command(view)
    claims, checks = command_for(view, "faithfulness"), command_for(view, "checks")
    fingerprint = view.definition.world_fingerprint
    made = "of imported reports" if fingerprint is None else f"on the world {fingerprint[:12]}"
    lines = [f"Experiment {view.name} {made}", ""]
    if view.is_of_shop:
        checked, *false = false_lines(view.runs)
        lines += [*_folded(checked, ""), *(line for one in false for line in _folded(one)), ""]
    if view.scores.scoreboard is not None and (details or not view.is_of_shop):
        about = about_words(view.definition, view.scores.scoreboard)
        parts = (
            board_details(view.scores, view.lab) if details else board_parts(view.scores, about, [*fault_lines(view)])
        )
        lines += part_lines(parts, WIDTH)
    if details:
        for run in view.runs:
            lines += [*_run(run, claims, checks), ""]
        stale = sum(run.stale for run in view.runs)
        if not view.is_scored:
            lines.append(f"No scores yet: {score} makes them.")
        if view.outdated:
            lines.append(f"These scores are older than the runs: {view.outdated}. Run {score} again.")
        if view.is_scored and stale:
            verdicts = counted(stale, "verdict is", "verdicts are")
            lines.append(f"{verdicts} not used, since the report or the question has changed: run {score} again.")
        lines += [""] if view.is_scored and (view.outdated or stale) else []
        lines += part_lines(metric_parts(view.scores), WIDTH) if view.is_scored else []
        lines += [
            line for card in method_cards(view.folder, view.scores) for fact in card.text for line in _folded(fact)
        ]
    else:
        lines.append(f"Every answer, all tables: drretail report {quote(str(view.folder))} --format text --details")
    lines += ["", "How to repeat it (the page has queries.jsonl)", *(f"  {line}" for line in commands(view))]
    return on_screen("\n".join(lines) + "\n")


def marked_report(view: RunView) -> str:
    """The report with numbered references, and each claim followed by its number and sign: ‹3 ✓›."""
    report = view.subject.report or ""
    rendered = render_report(report, view.subject.evidence, style="plain")
    marks: dict[int, str] = {}
    for claim in view.claims[0].claims if view.claims else ():
        if claim.span is not None:
            _, end = rendered.span(*claim.span)
            marks[end] = marks.get(end, "") + f" ‹{claim.number} {SIGNS[claim.support]}›"
    text = rendered.text
    for end in sorted(marks, reverse=True):
        text = text[:end] + marks[end] + text[end:]
    return text


def _run(view: RunView, claims: str, checks: str) -> Iterator[str]:
    yield f"=== {view.subject.run_id}: {view.state}"
    yield view.subject.query.text
    yield ""
    if view.run is not None and view.run.error is not None:
        yield f"The run failed ({view.run.error.kind}, in {view.run.error.where}): {view.run.error.message}"
    if view.run is not None:
        yield from (f"A branch failed: {branch}" for branch in view.run.failed_branches)
        yield from setback_sentences(view.run)
    if view.subject.report is None:
        return
    yield marked_report(view).rstrip("\n")
    yield ""
    cart, read_by = cart_as_read(view.subject)
    if cart is None:
        yield "The report declares no cart."
    else:
        yield f"{TITLE_OF_CART} (not declared, {read_by}):" if read_by else f"{TITLE_OF_CART}:"
        yield from cart_text(cart)
    yield ""
    if view.claims:
        first = view.claims[0]
        counts = ", ".join(f"{count} {WORDS[support]}" for support, count in counts_of(first.claims).items())
        nothing = "the judge failed" if first.failures else "none"
        yield f"Claims, judged by {first.judged.by}: {counts or nothing}"
        for claim in first.claims:
            types = f" ({', '.join(claim.types)})" if claim.types else ""
            words = f"{SIGNS[claim.support]} {WORDS[claim.support]}{types}: {' '.join(claim.text.split())}"
            yield f"  {claim.number:>3} {words}"
            if claim.support != "full" and claim.reason:
                yield f"        {claim.reason}"
    else:
        yield f"No claim was judged yet: {claims} does it."
    if view.checks.made:
        read = f" ({view.checks.read})" if view.checks.read else ""
        yield f"Findings of checks: {len(view.checks.findings) or 'none'}{read}"
        yield from (f"  {finding_line(finding)}" for finding in view.checks.findings)
    else:
        yield "No check applies to this report." if view.checks.not_made else f"Not checked yet: {checks} does it."


def _folded(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
