"""``drretail score``: judges an experiment's runs and makes scores of the verdicts."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from drretail.cli.options import flags
from drretail.cli.options.groups import grouped
from drretail.cli.options.systems import exit_code
from drretail.cli.spending import judging_document, judging_in_short, print_judging
from drretail.errors import UnknownName, UserError
from drretail.records.base import Rules

if TYPE_CHECKING:
    from drretail.api.models import Opener
    from drretail.env.web.live import Pages
    from drretail.eval.judge_prompts import Wording
    from drretail.eval.judging.session import Again, Judge
    from drretail.eval.judging.spending import JudgingCost
    from drretail.llm.prices import PriceTable
    from drretail.records.score import JudgeRef, Scores, SliceBy
    from drretail.settings import Settings


METRICS = "faithfulness,fault_place,quality,checks,process,basket"
OFFLINE_NOTE = (
    "No --judge given: offline:judge judges. It compares names, numbers and wording, and is no language model."
)
NOT_PAIRED = (
    "pairwise compared nothing: the experiment holds no two systems that research and met in a query. Floors and the "
    "oracle are compared by name: --pairs A~B."
)
UNFETCHED = "Claims on pages that nobody fetched: {count:,}. They are n/a: --fetch-sources fetches the pages."
SHOWN = " What the agents were shown of them has scores in FP_web_shown."
FAITHFULNESS, RACE = "faithfulness", "race"
LEDGER, LIVE = "ledger", "live"
FORM, MODEL = "form", "model"
REPORT_EVAL = "report_eval"
BY_UNIT = {"section": REPORT_EVAL, "paragraph": "drretail.eval.report_eval:BY_PARAGRAPHS"}
"""The family that compares pairs of such units."""
RULES: dict[str, Rules] = {it: it for it in get_args(Rules)}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is judged, and by which rules."""

    metrics_given: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", metavar="A,B", help="Which families of metrics; may be given again.", show_default=METRICS
        ),
    ] = None
    readings: Annotated[
        str,
        typer.Option("--readings", metavar="form|model", help="model: a judge reads picks and values of each report."),
    ] = FORM
    rules: Annotated[
        str,
        typer.Option("--rules", metavar="|".join(get_args(Rules)), help="By whose rules: ours, or a publication's."),
    ] = "default"
    pairs: Annotated[
        list[str] | None,
        typer.Option("--pairs", metavar="A~B", help="Two systems that pairwise compares; may be given again."),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option("--unit", metavar="|".join(BY_UNIT), help="Of what report_eval compares pairs (section)."),
    ] = None
    page_age: Annotated[
        float | None,
        typer.Option("--page-age", metavar="YEARS", min=0, help="Cited pages older than that are warned of (3)."),
    ] = None
    sources: Annotated[
        str,
        typer.Option("--sources", metavar="ledger|live", help="live: cited pages are fetched and judged by as well."),
    ] = LEDGER
    fetch_sources: Annotated[
        bool, typer.Option("--fetch-sources", help="First fetch the cited pages that the runs have not read.")
    ] = False
    judge_repeats: Annotated[
        int, typer.Option("--judge-repeats", min=1, metavar="K", help="Judge each report K times: shows judge noise.")
    ] = 1
    rate_floors: Annotated[
        bool, typer.Option("--rate-floors", help="Rate the quality of the null agents and the oracle as well.")
    ] = False
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", metavar="DIR", help="Judges' prompts of yours (drretail prompts --judges)."),
    ] = None
    criteria: Annotated[
        Path | None,
        typer.Option(
            "--criteria", metavar="PATH", help="Hold reports to what stands in this folder, experiment, file."
        ),
    ] = None

    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="LABEL", help="The system whose reports race holds the others beside."),
    ] = None
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="DIR", help="What good answers have to tell and cite (docs/metrics/dr3.md)."),
    ] = None

    @property
    def wording(self) -> "Wording":
        """What the judges are told. Raises UserError for a folder that holds no changed prompt."""
        from drretail.eval.judge_prompts import PACKAGED, read_wording

        return PACKAGED if self.prompts is None else read_wording(self.prompts)

    @property
    def metrics(self) -> str:
        """All that were asked for, with commas."""
        return METRICS if self.metrics_given is None else ",".join(self.metrics_given)

    def families(self, experiment: Path) -> list[str]:
        """The names of the flag --metrics; without it those that are usual, and those that only some experiments can
        have: next purchases, and how questions were understood."""
        from drretail.eval.next_purchase.judge import has_next_purchases
        from drretail.eval.reading.judge import FAMILY as READING
        from drretail.eval.understood.judge import FAMILY as UNDERSTOOD
        from drretail.eval.understood.judge import has_understood
        from drretail.records.shop import METRIC as NEXT_PURCHASE
        from drretail.viewer.output import say

        names = [name.strip() for name in self.metrics.split(",") if name.strip()]
        if not names:
            raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,checks.")
        if self.metrics == METRICS and has_next_purchases(experiment):
            names.append(NEXT_PURCHASE)
        elif NEXT_PURCHASE in names and not has_next_purchases(experiment):
            say(f"{experiment} holds no next purchases: `ingest --holdout last` makes a world for experiments that do.")
        if self.metrics == METRICS and has_understood(experiment):
            names.append(UNDERSTOOD)
        if self.readings not in (FORM, MODEL):
            raise UnknownName("reader", self.readings, (FORM, MODEL))
        if self.unit is not None:
            if self.unit not in BY_UNIT:
                raise UnknownName("unit", self.unit, BY_UNIT)
            if REPORT_EVAL not in names:
                raise UserError("--unit says of what report_eval compares pairs: add it to the metrics.")
            names = [BY_UNIT[self.unit] if name == REPORT_EVAL else name for name in names]
        return [*names, READING] if self.readings == MODEL and READING not in names else names

    def checked(self, names: Sequence[str]) -> "Rules":
        """The rules. Raises UserError where flags contradict each other."""
        from drretail.eval.registry import PAIRWISE

        if self.pairs and PAIRWISE not in names:
            raise UserError("--pairs says what pairwise compares: add it to the metrics, as in --metrics pairwise.")
        if self.reference and RACE not in names:
            raise UserError("--reference says what race holds reports beside: add it to the metrics, --metrics race.")
        if self.sources not in (LEDGER, LIVE):
            raise UnknownName("kind of sources", self.sources, (LEDGER, LIVE))
        if self.sources == LIVE and self.rules == "drg":
            raise UserError(
                "The rules drg know no live pages: leave --sources live out, or take the rules default or paper."
            )
        return RULES[self.rules]

    def webs(self, experiment: Path, settings: "Settings") -> "tuple[dict[str, Pages] | None, dict[str, Pages] | None]":
        """Where cited pages are fetched from, by label: with --sources live, and with --fetch-sources; else None."""
        from drretail.api.webs import pages_by_label
        from drretail.experiment import read_definition

        systems = read_definition(experiment).systems
        is_live = self.sources == LIVE
        pages = pages_by_label(settings, systems) if is_live or self.fetch_sources else None
        return pages if is_live else None, pages if self.fetch_sources else None


@dataclass(frozen=True, slots=True)
class Asking:
    """How judges are asked, and whether once more."""

    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where a judge failed.")] = False
    regrade: Annotated[bool, typer.Option("--regrade", help="Ask everything again; the last verdict counts.")] = False
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask through Anthropic's Message Batches: half the price, within a day.")
    ] = False

    @property
    def again(self) -> "Again":
        return "everything" if self.regrade else "failed" if self.retry_failed else "nothing"


@grouped
def score(
    experiment: flags.Experiment,
    asked: Asked,
    by_whom: flags.Judges,
    asking: Asking,
    cap: flags.JudgingCap,
    output: flags.Output,
    world: flags.MovedWorld = None,
    web: flags.Web = None,
    estimate: flags.Estimate = False,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="category|kind|constraint", help="Tables by that, in place of the scoreboard."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="The tables of every family in place of the scoreboard.")
    ] = False,
) -> None:
    """Judges every report that is not judged yet and prints a scoreboard: a row a system, and what differs.

    A second time it asks nothing. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    from drretail.api.judges import asked_in_batches, world_of
    from drretail.api.models import Opener
    from drretail.env.offers import Offers
    from drretail.eval.judging.spending import capped, judging_costs
    from drretail.eval.scoring import score as score_experiment
    from drretail.event_loop import run_loop
    from drretail.progress import Waits, choose_progress
    from drretail.settings import read_settings
    from drretail.viewer.terminal.printed_scores import slice_kinds

    if asked.rules not in RULES:
        raise UnknownName("set of rules", asked.rules, RULES)
    names, kinds = asked.families(experiment), slice_kinds(by or [])
    rules = asked.checked(names)
    if asking.regrade and cap.is_given:
        raise UserError("--regrade asks everything anew each time, so a cap would never let it end: leave one out.")
    wording = asked.wording
    settings = read_settings(page_age=asked.page_age, web=web)
    opener = Opener(settings, by_whom.base_url or [], keyless=estimate, tell=Waits(quiet=output.quiet))
    chosen = opened_judges(names, by_whom, opener)
    if estimate:
        print_estimate(experiment, names, chosen, asked, asking, opener.prices, as_json=output.as_json)
        return
    live, missing = asked.webs(experiment, settings)
    models = [judge.model for judge in chosen if judge.model is not None]
    allowance = capped(experiment, models, opener.prices, cap.max_tokens, cap.max_dollars)
    seated = asked_in_batches(chosen, experiment, settings.batch_poll) if asking.batch else nullcontext(chosen)
    with world_of(experiment, world, quiet=output.quiet) as shop, seated as judges:
        judging = score_experiment(
            experiment,
            names,
            judges,
            rules=rules,
            store=None if shop is None else shop.store,
            offers=None if shop is None else Offers(shop).would_do,
            progress=choose_progress("none" if output.quiet else None),
            page_age=settings.page_age,
            live=live,
            missing=missing,
            judge_repeats=asked.judge_repeats,
            pairs=asked.pairs or (),
            rate_floors=asked.rate_floors,
            again=asking.again,
            allowance=allowance,
            prices=opener.prices,
            wording=wording,
            criteria=asked.criteria,
            reference=asked.reference,
            gold=asked.gold,
        )
        scores = run_loop(judging)
    spent = judging_costs(experiment, opener.prices)
    if output.as_json:
        print_document(scores, spent)
    elif details or kinds:
        print_tables(experiment, scores, spent, asked, names, kinds, opener.prices)
    else:
        print_board(experiment, scores, spent, asked, names)
    told = [judge.told(wording.label) for judge in chosen]
    closing = None if allowance is None else allowance.closing
    exit_code(say_what_is_left(experiment, scores, asked, names, told, closing))


def opened_judges(names: Sequence[str], by_whom: flags.Judges, opener: "Opener") -> "list[Judge]":
    """The judges that the flags name; nobody where no family of these needs one."""
    from drretail.api.judges import judges
    from drretail.eval.registry import PAIRWISE, load_metrics
    from drretail.viewer.output import say

    if PAIRWISE not in names and not any(metric.needs_judge for metric in load_metrics(names)):
        return []
    return judges(by_whom.judge or [], opener, by_whom.model_profile, told_offline=lambda: say(OFFLINE_NOTE))


def print_estimate(
    experiment: Path,
    names: Sequence[str],
    judges: "Sequence[Judge]",
    asked: Asked,
    asking: Asking,
    prices: "PriceTable",
    *,
    as_json: bool,
) -> None:
    """Prints what is left to judge, and what that is likely to take."""
    from drretail.cli.spending import show_estimates
    from drretail.eval.judging.estimate import estimate_judging
    from drretail.eval.judging.sources import missing_pages
    from drretail.prompts import overridden
    from drretail.viewer.output import say

    with overridden(asked.wording.texts):
        estimates = estimate_judging(
            experiment,
            names,
            [replace(judge, in_batches=asking.batch).told(asked.wording.label) for judge in judges],
            anew=asking.again != "nothing",
            judge_repeats=asked.judge_repeats,
            rules=RULES[asked.rules],
            pairs=asked.pairs or (),
            rate_floors=asked.rate_floors,
        )
    title = f"What is left to judge in {experiment}"
    show_estimates(title, ["what", "to judge"], estimates, prices, as_json=as_json)
    if FAITHFULNESS in names and (missing := missing_pages(experiment, again=asking.again != "nothing")):
        say(told_missing(len(missing), fetched=asked.fetch_sources))


def told_missing(count: int, *, fetched: bool) -> str:
    """A sentence on cited pages that are not there to be judged against."""
    pages = "1 cited page is" if count == 1 else f"{count:,} cited pages are"
    if fetched:
        return f"{pages} fetched first, which costs no tokens."
    return f"{pages} not there to be judged against: --fetch-sources fetches them, which costs no tokens."


def print_document(scores: "Scores", spent: "Sequence[JudgingCost]") -> None:
    """All scores and what judging took, as one JSON document."""
    from drretail.viewer.output import print_json

    taken = [judging_document(cost) for cost in spent]
    print_json({**scores.model_dump(mode="json", exclude_none=True), "spending": taken})


def print_board(
    experiment: Path, scores: "Scores", spent: "Sequence[JudgingCost]", asked: Asked, names: Sequence[str]
) -> None:
    """The scoreboard, below it the tables of families that were asked for by name and don't all stand on it."""
    from drretail.eval.lab.kept_findings import finding_lines
    from drretail.viewer.output import print_text, say
    from drretail.viewer.terminal.printed_board import print_scoreboard

    if scores.scoreboard is not None:
        print_scoreboard(scores.scoreboard, scores.agreements, scores.metrics, finding_lines(experiment))
        print_text("")
    if asked.metrics != METRICS:
        print_families(off_the_board(of_families(scores, family_names(names))))
    took = judging_in_short(spent)
    chosen = "" if asked.metrics == METRICS else f" --metrics {asked.metrics}"
    print_text(*filter(None, [took]), f"All families: drretail score {experiment}{chosen} --details")
    say(f"Kept in {experiment / 'scores.json'}.")


def off_the_board(scores: "Scores") -> "Scores":
    """The same without the usual families that have a column on the scoreboard, and without what is of no family.

    Of the others one column is not all that was asked for.
    """
    from drretail.eval.registry import USUAL

    board = scores.scoreboard
    shown = {column.metric for column in board.columns} & {*USUAL} if board is not None else set[str]()
    left = of_families(scores, {row.metric for row in scores.scores} - shown)
    paired = {"pairs": scores.pairs, "ranks": scores.ranks}
    return left.model_copy(update={**paired, "agreements": (), "correlations": (), "counterfactuals": ()})


def family_names(names: Sequence[str]) -> set[str]:
    """Those of the families too: one may be named by its place."""
    from drretail.eval.registry import load_metrics

    return {*names, *(metric.name for metric in load_metrics(names))}


def print_families(scores: "Scores") -> None:
    """All tables of scores, pairs, agreement and measures that these hold."""
    from drretail.viewer.terminal.printed_measures import print_correlations, print_counterfactuals, print_followed
    from drretail.viewer.terminal.printed_pairs import print_agreements, print_pairs
    from drretail.viewer.terminal.printed_scores import print_scores

    print_scores(scores)
    print_pairs(scores)
    print_agreements(scores)
    print_counterfactuals(scores)
    print_followed(scores)
    print_correlations(scores)


def print_tables(
    experiment: Path,
    scores: "Scores",
    spent: "Sequence[JudgingCost]",
    asked: Asked,
    names: Sequence[str],
    kinds: "Sequence[SliceBy]",
    prices: "PriceTable",
) -> None:
    """The scores of the families that were asked for, as tables, with what judging took."""
    from drretail.viewer.output import print_text, say
    from drretail.viewer.terminal.printed_scores import print_slices

    named, is_all = family_names(names), asked.metrics == METRICS
    shown, others = (scores, "") if is_all else (of_families(scores, named), others_held(scores, named))
    if kinds:
        print_slices(shown, kinds)
    print_families(shown.model_copy(update={"scores": ()}) if kinds else shown)
    if others:
        print_text(others, "")
    print_judging(spent, prices)
    say(f"Kept in {experiment / 'scores.json'}.")


def say_what_is_left(
    experiment: Path,
    scores: "Scores",
    asked: Asked,
    names: Sequence[str],
    judges: "Sequence[Judge]",
    closing: str | None,
) -> int:
    """Says on stderr what of that which was asked for was not judged, and why; how much that is.

    ``closing`` is the sentence of a cap reached.
    """
    from drretail.eval.pairwise.pairs import choose_pairs, meetings
    from drretail.eval.registry import PAIRWISE
    from drretail.experiment import read_definition
    from drretail.viewer.output import say

    if closing is not None:
        say(closing)
    definition = read_definition(experiment)
    compared = choose_pairs(definition, asked.pairs or ()) if PAIRWISE in names else []
    failed = failed_answers(scores, family_names(names), [judge.ref for judge in judges], asked.rules, compared)
    if PAIRWISE in names and not meetings(experiment, definition, compared):
        say(NOT_PAIRED)
    if unfetched := unfetched_claims(scores):
        is_shown = any(row.n_scored for row in scores.scores if row.variant == "FP_web_shown")
        say(UNFETCHED.format(count=unfetched) + (SHOWN if is_shown else ""))
    if failed:
        say(f"A judge gave no usable answer {failed:,} times: the same command with --retry-failed asks again.")
    return failed + (closing is not None)


def failed_answers(
    scores: "Scores",
    named: Collection[str],
    judges: "Collection[JudgeRef]",
    rules: str,
    compared: "Sequence[tuple[str, str]]",
) -> int:
    """To how many questions of these families, judges, rules and pairs there is no usable answer: what others failed
    in was not asked for."""
    from drretail.records.score import CODE

    asked = {(judge.spec, judge.params_hash) for judge in judges} | {(CODE, "")}
    judged = (it for it in scores.judgings if it.metric in named)
    paired = (row for row in scores.pairs if (row.a, row.b) in compared or (row.b, row.a) in compared)
    return sum(it.failed for it in judged if it.rules == rules and (it.judge, it.judge_params) in asked) + sum(
        row.failed_verdicts for row in paired if row.rules == rules and (row.judge, row.judge_params) in asked
    )


def unfetched_claims(scores: "Scores") -> int:
    """How many claims are n/a since nobody fetched a page that they cite."""
    rows = [row for row in scores.scores if row.variant == "FP_web"]
    return sum({row.system: int(row.items.get("unfetched", 0)) for row in rows}.values())


PROCESS = "process"


def of_families(scores: "Scores", names: Collection[str]) -> "Scores":
    """The same with the rows of these families alone. What runs did beside their scores comes with the process.

    What other profiles change is of no family and stays.
    """
    from drretail.eval.registry import PAIRWISE

    paired, beside = PAIRWISE in names, PROCESS in names
    return scores.model_copy(
        update={
            "scores": tuple(row for row in scores.scores if row.metric in names),
            "judgings": tuple(row for row in scores.judgings if row.metric in names),
            "slices": tuple(row for row in scores.slices if row.metric in names),
            "agreements": tuple(row for row in scores.agreements if row.metric in names),
            "pairs": scores.pairs if paired else (),
            "ranks": scores.ranks if paired else (),
            "correlations": scores.correlations if beside else (),
        }
    )


def others_held(scores: "Scores", names: Collection[str]) -> str:
    """A sentence on what scores.json holds besides these families; empty where that is nothing."""
    from drretail.eval.registry import PAIRWISE

    held = [*(row.metric for row in scores.scores), *([PAIRWISE] if scores.pairs else [])]
    others = [name for name in dict.fromkeys(held) if name not in names]
    if not others:
        return ""
    return f"scores.json also holds {', '.join(others)}: score without --metrics prints all, report shows all."
