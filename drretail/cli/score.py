"""``drretail score`` and ``verify``: scores of an experiment's runs, and whether its folder can be trusted."""

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from drretail.api.option import Option, keywords
from drretail.api.options.score import ScoreOptions, VerifyOptions
from drretail.api.options.shared import folder_of, names_in
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.spending import judging_document, judging_in_short, print_judging, show_estimates
from drretail.records.tables.figures import counted
from drretail.viewer.output import print_json, print_text, say

if TYPE_CHECKING:
    from drretail.api.recorded import RecordedScores
    from drretail.records.score import Scores, SliceBy

NOT_PAIRED = (
    "pairwise compared nothing: no two systems that do research answered the same query. To "
    "compare floors or the oracle, name them: --pairs A~B."
)
UNFETCHED = "Claims on pages that were not fetched: {count:,}. They are n/a; --fetch-sources fetches the pages."
_STATES = {"pass": "pass", "fail": "FAIL", "unmade": "not made yet", "not_checkable": "not checkable"}
MOST_FALSE = 5
"""The most false statements that are printed before the scoreboard."""
SHOWN = " FP_web_shown judges them by the parts of the pages that the agents read."


@dataclass(frozen=True, slots=True)
class Shown:
    """Which tables of the scores are printed."""

    by: Annotated[
        tuple[str, ...], Option("Print tables by this property of the queries.", metavar="category|kind|axis|level")
    ] = ()
    details: Annotated[bool, Option("Print the tables of every metric.")] = False


def score(options: ScoreOptions, shown: Shown, planned: flags.Planned, output: flags.Output) -> None:
    """Judges the reports and prints a scoreboard with one row per system.

    Reuses existing verdicts. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """
    from drretail.api.score import estimate_score
    from drretail.api.score import score as score_runs
    from drretail.eval.scores.slices import with_slices
    from drretail.viewer.terminal.printed_scores import slice_kinds

    kinds = slice_kinds(shown.by)
    if planned.estimate:
        show_estimates(estimate_score(**keywords(options)), as_json=output.as_json)
        return
    with redirect_stdout(sys.stderr):  # what a metric of one's own prints is no result
        scored = score_runs(**keywords(options))
    if output.as_json:
        # All scores and what judging took, as one JSON document.
        taken = [judging_document(cost) for cost in scored.judging.spent]
        scores = with_slices(folder_of(options.experiment), scored) if kinds else scored
        print_json({**scores.model_dump(mode="json", exclude_none=True), "spending": taken})
    else:
        print_false(options, scored)
        if shown.details or kinds:
            print_tables(options, scored, kinds)
        else:
            print_board(options, scored)
    print_left(scored)
    exit_code(scored.judging.failed + (scored.judging.closing is not None))


def print_board(options: ScoreOptions, scored: "RecordedScores") -> None:
    """Prints the scoreboard, then the tables of requested metrics that are not wholly on it."""
    from drretail.eval.notes import score_notes
    from drretail.eval.scores.selection import rows_of_metrics, without_board_metrics
    from drretail.viewer.terminal.printed_scores import print_scoreboard

    experiment, board = folder_of(options.experiment), scored.scoreboard
    if board is not None:
        print_scoreboard(board, scored.agreements, scored.metrics, score_notes(experiment))
        print_text("")
    if options.metrics:
        print_metrics(without_board_metrics(rows_of_metrics(scored, scored.judging.metrics)))
    again = f" --metrics {','.join(_named(options))}" if options.metrics else ""
    took = judging_in_short(scored.judging.spent)
    print_text(*filter(None, [took]), f"All metrics: drretail score {experiment}{again} --details")
    say(f"Kept in {experiment / 'scores.json'}.")


def print_false(options: ScoreOptions, scored: "RecordedScores") -> None:
    """Prints what is false in an assistant's answers, the worst first; nothing for research."""
    from drretail.experiment import read_definition
    from drretail.viewer.experiment import read_view
    from drretail.viewer.tables.false_statements import false_lines

    experiment, board = folder_of(options.experiment), scored.scoreboard
    if not read_definition(experiment).is_of_shop and (board is None or not board.are_answers):
        return
    print_text(
        *false_lines(read_view(experiment).runs, MOST_FALSE),
        f"Each in its conversation: drretail report {experiment}",
        "",
    )


def print_tables(options: ScoreOptions, scored: "RecordedScores", kinds: "list[SliceBy]") -> None:
    """Prints the scores of the requested metrics as tables, with what judging took."""
    from drretail.eval.method import method_cards
    from drretail.eval.scores.selection import other_metrics, rows_of_metrics
    from drretail.eval.scores.slices import with_slices
    from drretail.viewer.terminal.printed_scores import print_audits, print_slices

    # Slices of all metrics: what systems were asked for shows in some alone.
    scores = with_slices(folder_of(options.experiment), scored) if kinds else scored
    scores = rows_of_metrics(scores, scored.judging.metrics) if options.metrics else scores
    if kinds:
        print_slices(scores, kinds)
    print_metrics(scores.model_copy(update={"scores": ()}) if kinds else scores)
    others = other_metrics(scored, scored.judging.metrics) if options.metrics else []
    if others:
        others_too = (
            f"scores.json also holds {', '.join(others)}: score without --metrics prints all, report shows all."
        )
        print_text(others_too, "")
    print_audits(scored)
    for card in method_cards(folder_of(options.experiment), scored):
        print_text(*card.text, "")
    print_judging(scored.judging.spent)
    say(f"Kept in {folder_of(options.experiment) / 'scores.json'}.")


def print_metrics(scores: "Scores") -> None:
    """Prints all tables of these scores: scores, pairs, agreement and other measures."""
    from drretail.viewer.terminal.printed_scores import (
        print_agreements,
        print_attacks,
        print_correlations,
        print_counterfactuals,
        print_followed,
        print_pairs,
        print_scores,
    )

    print_scores(scores)
    print_pairs(scores)
    print_agreements(scores)
    print_counterfactuals(scores)
    print_attacks(scores)
    print_followed(scores)
    print_correlations(scores)


def print_left(scored: "RecordedScores") -> None:
    """Prints on stderr which of the requested judgements are missing, and why."""
    judging = scored.judging
    if judging.closing is not None:
        say(judging.closing)
    if judging.compared_nothing:
        say(NOT_PAIRED)
    if judging.unfetched:
        is_shown = any(row.n_scored for row in scored.scores if row.variant == "FP_web_shown")
        say(UNFETCHED.format(count=judging.unfetched) + (SHOWN if is_shown else ""))
    if judging.failed:
        reasons = {row.error for row in scored.judgings if row.error and row.metric in judging.metrics}
        why = f" ({'; '.join(sorted(reasons)[:2])})" if reasons else ""
        say(f"Failed judgements: {judging.failed:,}{why}. The same command with --retry failed judges them again.")


def _named(options: ScoreOptions) -> list[str]:
    given = options.metrics
    assert isinstance(given, tuple)  # flags give a tuple
    return names_in(text for text in given if isinstance(text, str))


@dataclass(frozen=True, slots=True)
class Findings:
    """What counts as a failure, and how much is printed of it."""

    strict: Annotated[bool, Option("Also fail if something can't be checked.")] = False
    details: Annotated[bool, Option("Print every finding.", flags.OUTPUT)] = False


def verify(options: VerifyOptions, findings: Findings, output: flags.Output) -> None:
    """Recomputes an experiment's runs, verdicts and scores, and reports every difference.

    Sends nothing, changes nothing. Exit code 3: a check failed. docs/results.md lists what no check can show.
    """
    from drretail.api.verification.verify import verify as verify_experiment

    found = verify_experiment(**keywords(options))
    if output.as_json:
        print_json(found.model_dump(mode="json", exclude_none=True) | {"passes": found.passes})
    else:
        groups = [(check, check.by_cause()) for check in found.checks]
        for check, by_cause in groups:
            state = _STATES[check.state] if check.checked or by_cause else "–"
            print_text(f"{state:14} {check.title} ({f'{check.checked:,}' if check.checked else 'there are none'})")
            for kind, mismatches in by_cause:
                shown = mismatches if findings.details else mismatches[:1]
                beside = "" if kind == check.state else f"{_STATES[kind]}: "
                for mismatch in shown:
                    print_text(f"{'':15}{beside}{mismatch.line}")
                if more := len(mismatches) - len(shown):
                    print_text(f"{'':15}and {more:,} more like it")
        is_short = not findings.details and any(len(mismatches) > 1 for _, each in groups for _, mismatches in each)
        unmade, unchecked = (
            sum(len(check.unmade) for check in found.checks),
            sum(bool(c.unchecked) for c in found.checks),
        )
        sentences = [
            counted(len(found.failures), "thing fails", "things fail") if found.failures else "Nothing fails",
            f"{counted(unmade, 'thing is', 'things are')} not made yet" if unmade else "",
            f"{counted(unchecked, 'check')} could not be made everywhere" if unchecked else "",
            f"World {found.world_fingerprint[:12]}" if found.world_fingerprint is not None else "",
            "--details names each finding" if is_short else "",
        ]
        print_text("", f"{'. '.join(filter(None, sentences))}.")
        if found.from_journals:
            print_text(f"Made again from the answers in their journals: {', '.join(found.from_journals)}.")
        if found.taken_at_word:
            print_text(f"Trusted without proof, since it was not made again: {', '.join(found.taken_at_word)}.")
    exit_code(len(found.failures) or (findings.strict and not found.is_complete))
