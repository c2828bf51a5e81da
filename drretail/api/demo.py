"""``demo``: everything from a shop to a page of results in one command, small, without a key or a server."""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.api.option import accepts
from drretail.api.options.run import DemoOptions
from drretail.api.settings import read_settings
from drretail.experiments.experiment import run_path
from drretail.experiments.run_file import read_evidence, read_run
from drretail.files import write_atomically
from drretail.records.figures import counted
from drretail.reports.render import render_report
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Part, Prose, Result, prose
from drretail.viewer.output import TEXT_WIDTH, say, stdout_console, wrapped

if TYPE_CHECKING:
    from drretail.api.recorded import RecordedExperiment
    from drretail.viewer.cards import AnswerCard, QuestionCard
    from drretail.viewer.experiment import ExperimentView

TITLE = "drretail demo: two agents answer, a judge checks every claim, you get a page."
NOT_RECORDED = (
    "{failed} failed: the recording has no answer to what was asked. Did a prompt, a tool or a schema change? "
    "scripts/record_demo.py says how to record it again."
)


@accepts(DemoOptions)
def demo(options: DemoOptions) -> "Result[RecordedExperiment]":
    """The path from a made-up shop to a page of results; the recorded experiment."""
    say(TITLE)  # before the imports, which take a second
    was_collecting = gc.isenabled()
    gc.disable()  # saves a tenth of the time
    try:
        return _write(Path(options.to))
    finally:
        if was_collecting:
            gc.enable()


def _write(to: Path) -> "Result[RecordedExperiment]":
    from drretail.api.demo_recording import play_answers, play_judge, recorded_queries
    from drretail.api.recorded import open_experiment
    from drretail.data_ingest.demo import check_is_demo, copy_demo
    from drretail.env.world import world_at
    from drretail.viewer.experiment import read_view
    from drretail.viewer.page.document import first_of, one_page, rendered_questions
    from drretail.viewer.sections import board_parts
    from drretail.viewer.tables.board import about_words

    progress = choose_progress()
    check_is_demo(to)
    with progress.busy("Making up a shop"):
        folder = copy_demo(to, read_settings().cache_dir)
    queries = recorded_queries()
    experiment = to / "recorded"
    with world_at(folder) as shop:
        counts = shop.manifest.counts
        sizes = counted(counts.products, "product"), counted(counts.users, "user"), counted(counts.orders, "order")
        progress.note(f"{folder}: {', '.join(sizes)}.")
        progress.note(
            f"{counted(len(queries), 'question')}, two agents: react, and hybrid_react with up to 2 researchers."
        )
        with progress.busy("A recorded model answers, the tools run"):
            failed = play_answers(experiment, shop, str(folder))
        progress.note("A recorded judge checks the claims and compares the answers.")
        scores = play_judge(experiment, shop, progress)
    view = read_view(experiment)
    rendered = list(rendered_questions(view))
    page = to / "report.html"
    write_atomically(page, one_page(view, rendered))
    card = (first_of(rendered) or rendered[0]).card
    parts = [*_question_parts(view, card, to / "report.md")]
    parts += [Prose(""), *board_parts(view.scores, about_words(view.definition, view.scores.scoreboard))]
    user = card.question.query.user_id
    parts += prose("", f'Ask your own:\ndrretail ask "…" --world {folder} --user {user}')
    parts += [Prose("All questions with every claim and its evidence, and what the columns mean:"), str(page)]
    document = {"world": str(folder), "experiment": str(experiment), "page": str(page)}
    failed += sum(row.failed for row in scores.judgings) + sum(row.failed_verdicts for row in scores.pairs)
    notes = [NOT_RECORDED.format(failed=counted(failed, "run or verdict", "runs or verdicts"))] if failed else []
    return Result(open_experiment(experiment), document, parts, notes=notes, left=failed, path=page)


def _question_parts(view: "ExperimentView", card: "QuestionCard", report: Path) -> Iterator[Part]:
    """A question, the first paragraph of one answer, and what both systems pick. ``report`` gets the whole answer."""
    from drretail.api.recorded import RecordedAnswer

    query, shown = (
        card.question.query,
        next((answer for answer in card.answers if answer.is_preferred), card.answers[-1]),
    )
    path = run_path(view.folder, shown.line.label, query.query_id, shown.line.repeat)
    answer = RecordedAnswer(read_run(path), read_evidence(path))
    write_atomically(report, answer.report)
    width = min(TEXT_WIDTH, stdout_console().width)
    text = render_report(answer.run.report or "", answer.evidence, style="plain").text.replace("**", "")
    paragraphs = (block for block in text.split("\n\n") if block.strip() and block.lstrip()[0] not in "#|-*")
    number = f"Question {card.question.number} of {len(view.questions)}"
    yield from prose("", f"{number}, by a shopper with orders in the shop:")
    yield wrapped(query.text, width)
    yield from prose("", f"The answer of {shown.name} begins:")
    yield wrapped(next(paragraphs, ""), width)
    yield Prose(f"… The whole answer: {report}")
    yield from prose("", *(line for answer in card.answers for line in _picks(answer)))


def _picks(card: "AnswerCard") -> Iterator[str]:
    """What a system picks, and whether that keeps the question's limits."""
    from drretail.viewer.judged import SIGNS

    for line in card.cart.lines if card.cart else ():
        words = ", ".join(filter(None, (line.title, line.price_words, line.stars)))
        yield f"{card.name} picks {words}{''.join(f' {limit}' for limit in card.broken[line.product])}"
    if card.cart is not None and not card.cart.lines:
        yield f"{card.name} picks nothing. {card.cart.refusal}"
    yield from card.broken[None]
    yield from (f"{SIGNS[wrong.support]} {wrong.words}" for wrong in card.wrong)
    yield from filter(None, [card.limits_met])
