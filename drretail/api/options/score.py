"""The options of ``score``, ``compare`` and ``report``."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from drretail.api.option import OUTPUT, RESUMING, Option
from drretail.api.options import research, shared
from drretail.api.options.shared import WHAT
from drretail.eval.names import METRICS, PAIRWISE
from drretail.records.base import Rules

if TYPE_CHECKING:
    from drretail.eval.metric import Metric


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """Judges the reports and prints a scoreboard with one row per system.

    Reuses existing verdicts. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """

    experiment: shared.Experiment
    metrics: Annotated[
        "str | Metric | Iterable[str | Metric]",
        Option(
            f"Metrics: {', '.join(sorted((*METRICS, PAIRWISE)))}. docs/scores.md and "
            "drretail/addons/publications/README.md explain them. Also a plugin's, or module:attribute.",
            metavar="A,B",
            type=list[str],
            default="faithfulness, false_statements, quality, checks, process, basket, outcome",
        ),
    ] = ()
    judge: shared.Judge = ()
    _: KW_ONLY
    pairs: Annotated[
        shared.Texts,
        Option("For the metric pairwise: two systems (default: all pairs).", metavar="A~B", type=list[str]),
    ] = ()
    queries: Annotated[
        str | Path | None,
        Option(
            "The file whose gold is added: of tasks that were run without it, or whose run was killed.", metavar="FILE"
        ),
    ] = None
    rules: Annotated[
        Rules | None,
        Option(
            f"The scoring rules: {', '.join(get_args(Rules)[1:])}, or default (drretail's own).",
            metavar="NAME",
            default="default; paper after `run --preset paper`",
        ),
    ] = None
    fetch_sources: Annotated[
        bool, Option("Fetch cited pages that are not in EXP (of imports, or after `run --no-pages`).")
    ] = False
    repeats: Annotated[
        int, Option("The number of judgements per report, to measure the judge's noise.", metavar="K", min=1)
    ] = 1
    max_dollars: shared.MaxDollars = None
    by: Annotated[
        shared.Texts,
        Option("Print tables by this property of the queries.", metavar="category|kind|needs|turn", type=list[str]),
    ] = ()
    details: Annotated[bool, Option("Print the tables of every metric.")] = False
    criteria: Annotated[
        str | Path | None,
        Option(
            "For metrics that score by criteria, such as pqr: a folder or an experiment that holds them "
            "(drretail/addons/publications/README.md).",
            WHAT,
        ),
    ] = None
    gold: Annotated[
        str | Path | None,
        Option(
            "A folder of reference answers: what good answers say and cite (drretail/addons/publications/README.md).",
            WHAT,
            metavar="DIR",
        ),
    ] = None
    prompts: research.Prompts = None
    rate_floors: Annotated[bool, Option("Also rate the baselines (null agents and the oracle).", flag="")] = False
    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    max_tokens: shared.MaxTokens = None
    world: shared.MovedWorld = None
    web: shared.Web = None
    retry: Annotated[
        shared.Retry | None, Option("Judge again what failed, or everything.", RESUMING, metavar="failed|everything")
    ] = None


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Compares systems query by query, and shows which differences are more than chance.

    Prints a few sentences on two systems, or a table of many. Run `drretail score` first.

    EXP may also be a CSV with the columns system, query, value (and user, repeat, metric).
    """

    experiment: shared.SomeExperiment = None
    a: Annotated[
        str | None, Option("A system's label, or its first letters (default: all systems).", argument=True, metavar="A")
    ] = None
    b: Annotated[str | None, Option("The other system (default: the baseline).", argument=True, metavar="B")] = None
    _: KW_ONLY
    metrics: Annotated[
        "Iterable[str | Metric] | str | None",
        Option(
            "The metrics to compare, or pairwise. With --by CONDITION also one number, such as faithfulness:FP.",
            metavar="A,B",
            type=list[str],
            default="all that were judged",
        ),
    ] = None
    judges: Annotated[
        shared.Texts,
        Option(
            "The judge whose verdicts to use (default: those asked last).",
            flag="--judge",
            metavar="PROVIDER:MODEL",
            type=list[str],
        ),
    ] = ()
    baseline: Annotated[
        str | None,
        Option(
            "The system that every other one is compared with, or `all` for every pair.",
            metavar="LABEL|all",
            default="the first agent of the first `run`",
        ),
    ] = None
    fail_if: Annotated[
        shared.Texts,
        Option(
            "A gate, exit code 4: if A is shown to be worse than B by so much ('errors:rise=.10'), if a change for "
            "the worse of so much is not excluded ('FP:margin=.05'), if the difference A − B is so ('FP < -0.02'), or "
            "a score beside that in --last ('false_answers > last').",
            metavar="RULE",
            type=list[str],
        ),
    ] = ()
    last: Annotated[
        str | Path | None,
        Option("An earlier experiment, such as yesterday's answers, for rules on `last`.", metavar="EXP2"),
    ] = None
    confirm: Annotated[
        str | Path | None,
        Option(
            "The experiment of the time before, with runs of its own: a rule fails only if it fails in both.",
            metavar="EXP2",
        ),
    ] = None
    margin: Annotated[
        shared.Texts,
        Option("Say whether A and B are equal within this margin.", metavar="NAME=NUMBER", type=list[str]),
    ] = ()
    estimate: Annotated[
        shared.Texts,
        Option(
            "Say how many queries, users and runs show a true difference: by EXP's spread ('FP=.10'), or by a standard "
            "deviation of differences, without EXP ('.10/.35').",
            metavar="NAME=NUMBER|NUMBER/SD",
            type=list[str],
        ),
    ] = ()
    junit: Annotated[
        str | Path | None, Option("Write the results of --fail-if as JUnit's XML.", OUTPUT, metavar="FILE")
    ] = None
    summary: Annotated[
        str | Path | None,
        Option("Append them as a table in Markdown, such as to GitHub's job summary.", OUTPUT, metavar="FILE"),
    ] = None
    by: Annotated[
        str | None,
        Option(
            "Compare systems that differ only in this condition of `run --vary`, or in the web; by turn of "
            "conversations; or by what the queries need.",
            metavar="CONDITION|turn|needs",
        ),
    ] = None
    details: Annotated[bool, Option("Print all tables.", OUTPUT)] = False


ReportFormat = Literal["html", "latex", "csv", "paper"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Shows an experiment's reports with every claim marked by its verdict.

    The page is one HTML file; above 8 MB it becomes a folder.
    """

    experiment: shared.Experiment
    form: Annotated[
        ReportFormat,
        Option("A page, the board's tables as LaTeX or CSV, or the paper's tables.", flag="--format"),
    ] = "html"
    _: KW_ONLY
    to: Annotated[
        str | Path | None,
        Option(
            "The file to write.",
            metavar="FILE",
            default="EXP/report.html; tables to stdout",
        ),
    ] = None
    split: Annotated[
        bool | None,
        Option("A folder with a page per query, or one file.", flag="--split/--single", default="a folder above 8 MB"),
    ] = None
    details: Annotated[bool, Option("With --format latex or csv: all tables.")] = False
    world: shared.MovedWorld = None
