"""``drretail score``: judges an experiment's runs and makes scores of the verdicts."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags as options
from drretail.cli.spending import money, say_prices
from drretail.viewer.output import print_table

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.eval.judging.session import Judge
    from drretail.eval.judging.spending import Allowance, JudgingCost
    from drretail.llm.prices import PriceTable
if TYPE_CHECKING:
    from drretail.records.score import Scores


COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]


def capped_judging(
    experiment: "Path", table_key: "Iterable[Judge]", prices: "PriceTable", tokens: int | None, dollars: float | None
) -> "Allowance | None":
    """The allowance of the flags --max-tokens and --max-dollars; None without one.

    Raises UserError when dollars are capped and the price of a judge is unknown.
    """
    from drretail.cli.options.systems import check_priced
    from drretail.eval.judging.spending import opened_allowance

    if tokens is None and dollars is None:
        return None
    if dollars is not None:
        check_priced(judge.model for judge in table_key if judge.model is not None)
    return opened_allowance(experiment, prices, tokens, dollars)


def print_judging(costs: "Sequence[JudgingCost]", prices: "PriceTable") -> None:
    """All judging of the experiment so far, by metric and judge; judges without a price are named on stderr."""
    if not costs:
        return
    print_table("What judging took, in all", COLUMNS, [_row(cost) for cost in costs])
    say_prices(
        prices,
        unknown={spec for cost in costs for spec in cost.cost.unpriced},
        used=any(cost.cost.dollars for cost in costs),
    )


def judging_document(cost: "JudgingCost") -> dict[str, Any]:
    """All of it; ``null`` = unknown."""
    from drretail.llm.prices import cache_read_share

    return {
        "metric": cost.metric,
        "judge": cost.judge,
        "folder": cost.folder,
        "reports": cost.reports,
        **cost.cost.usage.model_dump(),
        "dollars": cost.cost.dollars,
        "cache_read_share": cache_read_share(cost.cost.usage),
        "retries": cost.retries,
        "seconds": round(cost.seconds, 3),
    }


def _row(cost: "JudgingCost") -> list[object]:
    from drretail.eval.registry import PAIRWISE
    from drretail.llm.prices import cache_read_share

    used = cost.cost.usage
    share = cache_read_share(used)
    read = used.input_uncached + used.cache_read + used.cache_creation
    told = "–" if share is None else f"{share:.0%}"
    unit = "pair" if cost.metric == PAIRWISE else "report"
    judged = f"{cost.reports:,} {unit}{'' if cost.reports == 1 else 's'}"
    return [cost.metric, cost.judge, judged, used.calls, read, used.output, told, money(cost.cost.dollars)]


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


METRICS = "faithfulness,quality,checks,process,basket"
NOT_PAIRED = (
    "pairwise compared nothing: the experiment holds no two systems that research and met in a query. Floors and the "
    "oracle are compared by name: --pairs A~B."
)
LEDGER, LIVE = "ledger", "live"
FORM, MODEL = "form", "model"


def score(
    experiment: Annotated[Path, typer.Argument(metavar="EXP", help="The experiment's folder.")],
    metrics: Annotated[str, typer.Option("--metrics", metavar="A,B", help="Which families of metrics.")] = METRICS,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Who judges; may be given again; offline without one."),
    ] = None,
    model_profile: options.ModelProfile = None,
    base_url: options.BaseUrl = None,
    readings: Annotated[
        str,
        typer.Option("--readings", metavar="form|model", help="model: a judge reads picks and values of each report."),
    ] = FORM,
    rules: Annotated[str, typer.Option("--rules", help="default, or a publication's rules: paper, drg.")] = "default",
    pairs: Annotated[
        list[str] | None,
        typer.Option("--pairs", metavar="A~B", help="Two systems that pairwise compares; may be given again."),
    ] = None,
    world: Annotated[
        str | None, typer.Option("--world", "-w", metavar="W", help="The runs' world, where it has moved.")
    ] = None,
    page_age: Annotated[
        float | None,
        typer.Option("--page-age", metavar="YEARS", min=0, help="Cited pages older than that are warned of (3)."),
    ] = None,
    sources: Annotated[
        str,
        typer.Option("--sources", metavar="ledger|live", help="live: cited pages are fetched and judged by as well."),
    ] = LEDGER,
    web: options.Web = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again where a judge failed.")] = False,
    regrade: Annotated[bool, typer.Option("--regrade", help="Ask everything again; the last verdict counts.")] = False,
    judge_repeats: Annotated[
        int, typer.Option("--judge-repeats", min=1, metavar="K", help="Judge each report K times: shows judge noise.")
    ] = 1,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask through Anthropic's Message Batches: half the price, within a day.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens of all judging in the experiment, at most.")
    ] = None,
    max_dollars: Annotated[
        float | None, typer.Option("--max-dollars", min=0.0001, help="Dollars of all judging in it, at most.")
    ] = None,
    estimate: options.Estimate = False,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="category|kind|constraint", help="Tables by that, in place of the plain ones."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Judges every report that is not judged yet and prints scores with intervals.

    A second time it asks nothing. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    from contextlib import nullcontext
    from dataclasses import replace

    from drretail.cli.estimating import show_estimates
    from drretail.cli.options.judges import asked_in_batches, judges, world_of
    from drretail.cli.options.models import Opener
    from drretail.cli.options.systems import exit_code
    from drretail.cli.options.webs import pages_by_label
    from drretail.cli.score import capped_judging, judging_document, of_families, others_held, print_judging
    from drretail.errors import UnknownName, UserError
    from drretail.eval.judging.estimate import estimate_judging
    from drretail.eval.judging.spending import judging_costs
    from drretail.eval.next_purchase.judge import has_next_purchases
    from drretail.eval.pairwise.pairs import choose_pairs, meetings
    from drretail.eval.reading.judge import FAMILY as READING
    from drretail.eval.registry import PAIRWISE, load_metrics
    from drretail.eval.scoring import score as score_experiment
    from drretail.event_loop import run_loop
    from drretail.experiment import read_definition
    from drretail.progress import choose_progress
    from drretail.records.score import Rules
    from drretail.records.shop import METRIC as NEXT_PURCHASE
    from drretail.settings import read_settings
    from drretail.viewer.output import print_json, print_notes, say
    from drretail.viewer.tables.terminal_measures import print_correlations, print_counterfactuals
    from drretail.viewer.tables.terminal_pairs import print_agreements, print_pairs
    from drretail.viewer.tables.terminal_scores import print_scores, print_slices, slice_kinds

    chosen: dict[str, Rules] = {"default": "default", "paper": "paper", "drg": "drg"}
    if rules not in chosen:
        raise UnknownName("set of rules", rules, chosen)
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    if not names:
        raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,checks.")
    if metrics == METRICS and has_next_purchases(experiment):
        names.append(NEXT_PURCHASE)
    elif NEXT_PURCHASE in names and not has_next_purchases(experiment):
        say(f"{experiment} holds no next purchases: `ingest --holdout last` makes a world for experiments that do.")
    if readings not in (FORM, MODEL):
        raise UnknownName("reader", readings, (FORM, MODEL))
    if readings == MODEL and READING not in names:
        names.append(READING)
    kinds = slice_kinds(by or [])
    needs_judge = PAIRWISE in names or any(metric.needs_judge for metric in load_metrics(names))
    if pairs and PAIRWISE not in names:
        raise UserError("--pairs says what pairwise compares: add it to the metrics, as in --metrics pairwise.")
    if sources not in (LEDGER, LIVE):
        raise UnknownName("kind of sources", sources, (LEDGER, LIVE))
    if sources == LIVE and rules == "drg":
        raise UserError(
            "The rules drg know no live pages: leave --sources live out, or take the rules default or paper."
        )
    if regrade and (max_tokens is not None or max_dollars is not None):
        raise UserError("--regrade asks everything anew each time, so a cap would never let it end: leave one out.")
    settings = read_settings(page_age=page_age, web=web)
    opener = Opener(settings, base_url or [], keyless=estimate)
    table_key = judges(judge or [], opener, model_profile) if needs_judge else []
    if estimate:
        asked = [replace(judge, in_batches=batch) for judge in table_key]
        estimates = estimate_judging(
            experiment,
            names,
            asked,
            anew=regrade or retry_failed,
            judge_repeats=judge_repeats,
            rules=chosen[rules],
            pairs=pairs or (),
        )
        title = f"What is left to judge in {experiment}"
        show_estimates(title, ["what", "to judge"], estimates, opener.prices, as_json=as_json)
        return
    definition = read_definition(experiment)
    live = pages_by_label(settings, definition.systems) if sources == LIVE else None
    allowance = capped_judging(experiment, table_key, opener.prices, max_tokens, max_dollars)
    asking = asked_in_batches(table_key, experiment, settings.batch_poll) if batch else nullcontext(table_key)
    with world_of(experiment, world, quiet=quiet) as shop, asking as asked:
        scores = run_loop(
            score_experiment(
                experiment,
                names,
                asked,
                rules=chosen[rules],
                store=None if shop is None else shop.store,
                progress=choose_progress("none" if quiet else None),
                page_age=settings.page_age,
                live=live,
                judge_repeats=judge_repeats,
                pairs=pairs or (),
                again="everything" if regrade else "failed" if retry_failed else "nothing",
                allowance=allowance,
            )
        )
    spent = judging_costs(experiment, opener.prices)
    if as_json:
        taken = [judging_document(cost) for cost in spent]
        print_json({**scores.model_dump(mode="json", exclude_none=True), "spending": taken})
    else:
        named = {*names, *(metric.name for metric in load_metrics(names))}  # a family may be named by its place
        shown, others = (scores, "") if metrics == METRICS else (of_families(scores, named), others_held(scores, named))
        if kinds:
            print_slices(shown, kinds)
        else:
            print_scores(shown)
        print_pairs(shown)
        print_agreements(shown)
        print_counterfactuals(shown)
        print_correlations(shown)
        if others:
            print_notes([others, ""])
        print_judging(spent, opener.prices)
        say(f"Kept in {experiment / 'scores.json'}.")
    cut = None if allowance is None else allowance.closing
    if cut is not None:
        say(cut)
    failed = sum(judging.failed for judging in scores.judgings) + sum(row.failed_verdicts for row in scores.pairs)
    if PAIRWISE in names and not meetings(experiment, definition, choose_pairs(definition, pairs or ())):
        say(NOT_PAIRED)
    if failed:
        say(f"A judge gave no usable answer {failed:,} times: the same command with --retry-failed asks again.")
    exit_code(failed + (cut is not None))
