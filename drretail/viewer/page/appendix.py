"""What stands behind the numbers, at the end of a report: all tables, the method, how to read and to repeat it."""

from collections import defaultdict
from collections.abc import Sequence

from markupsafe import Markup

from drretail.eval.compare.distractors import distractor_tables
from drretail.records.score import Judging
from drretail.tables.table import Table, table_of
from drretail.viewer.commands import commands, queries_file, score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import data_address, template
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.page.sheets import ablation_parts, agreement_sheet, glossary, pair_parts, score_parts, sheet_of
from drretail.viewer.tables.ablations import headlines_first
from drretail.viewer.tables.distractors import HEADING, NOTE, distractor_table

_COUNTS = {"verdicts": "Verdicts", "failed": "Failed", "stale": "Stale, unused", "not_judged": "Reports not judged"}


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all families."""
    html = template("scores.html.jinja").render(
        view=view,
        ablations=ablation_parts(view.ablations),
        distractors=[sheet_of(distractor_table(table)) for table in headlines_first(distractor_tables(view.ablations))],
        distractors_heading=HEADING,
        distractors_note=NOTE,
        score_parts=score_parts(view.scores or (), view.slices, view.metrics),
        pair_parts=pair_parts(view.pairs, view.ranks),
        agreement=agreement_sheet(view.agreements, view.metrics),
        glossary=glossary(view.scores or (), view.metrics),
        stale=sum(line.stale for line in lines),
        score_command=" && ".join(score_commands(view)),
    )
    return Markup(html)  # noqa: S704 — escaped by its template


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that make it again."""
    html = template("method.html.jinja").render(
        view=view,
        judges=judge_table(view.judgings),
        commands=commands(view),
        queries_link=data_address("application/jsonl", queries_file(view)),
    )
    return Markup(html)  # noqa: S704


def judge_table(judgings: Sequence[Judging]) -> Table:
    """Who judged what over all systems, in the order of the scores."""
    groups: dict[tuple[str, str, str, str], list[Judging]] = defaultdict(list)
    for judging in judgings:
        groups[judging.metric, judging.judge, judging.judge_params, judging.rules].append(judging)
    rows = [
        (
            metric,
            f"{judge}, settings {params}" if params else judge,
            rules,
            *(sum(getattr(judging, name) for judging in group) for name in _COUNTS),
        )
        for (metric, judge, params, rules), group in groups.items()
    ]
    return table_of("Judges", ["Family", "Judge", "Rules", *_COUNTS.values()], rows)
