"""``drretail score``: judges an experiment's runs and makes scores of the verdicts."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli import options

METRICS = "faithfulness,quality,checks"
LEDGER, LIVE = "ledger", "live"


def score(
    experiment: Annotated[Path, typer.Argument(metavar="EXP", help="The experiment's folder.")],
    metrics: Annotated[str, typer.Option("--metrics", metavar="A,B", help="Which families of metrics.")] = METRICS,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Who judges; may be given again; offline without one."),
    ] = None,
    model_profile: options.ModelProfile = None,
    base_url: options.BaseUrl = None,
    rules: Annotated[str, typer.Option("--rules", help="default, or a publication's rules: paper, drg.")] = "default",
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
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Judges every report that is not judged yet and prints scores with intervals.

    A second time it asks nothing. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    import asyncio
    from contextlib import nullcontext
    from dataclasses import replace

    from drretail.cli.estimating import show_estimates
    from drretail.cli.judged import capped_judging, judging_document, print_judging
    from drretail.cli.judging import asked_in_batches, judges, world_of
    from drretail.cli.models import Opener
    from drretail.cli.output import print_json, say
    from drretail.cli.research import exit_code
    from drretail.cli.score_table import print_scores
    from drretail.cli.webs import pages_by_label
    from drretail.errors import UnknownName, UserError
    from drretail.eval.estimate import estimate_judging
    from drretail.eval.registry import load_metric
    from drretail.eval.scoring import score as score_experiment
    from drretail.eval.spending import judging_costs
    from drretail.experiment import read_definition
    from drretail.progress import choose_progress
    from drretail.records.score import Rules
    from drretail.settings import read_settings

    chosen: dict[str, Rules] = {"default": "default", "paper": "paper", "drg": "drg"}
    if rules not in chosen:
        raise UnknownName("set of rules", rules, chosen)
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    if not names:
        raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,checks.")
    needs_judge = any(load_metric(name).needs_judge for name in names)
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
    bench = judges(judge or [], opener, model_profile) if needs_judge else []
    if estimate:
        asked = [replace(judge, in_batches=batch) for judge in bench]
        estimates = estimate_judging(experiment, names, asked, anew=regrade or retry_failed)
        title = f"Reports to judge in {experiment}"
        show_estimates(title, ["what", "reports"], estimates, opener.prices, as_json=as_json)
        return
    live = pages_by_label(settings, read_definition(experiment).systems) if sources == LIVE else None
    allowance = capped_judging(experiment, bench, opener.prices, max_tokens, max_dollars)
    asking = asked_in_batches(bench, experiment, settings.batch_poll) if batch else nullcontext(bench)
    with world_of(experiment, world, quiet=quiet) as shop, asking as asked:
        scores = asyncio.run(
            score_experiment(
                experiment,
                names,
                asked,
                rules=chosen[rules],
                store=None if shop is None else shop.store,
                progress=choose_progress("none" if quiet else None),
                page_age=settings.page_age,
                live=live,
                again="everything" if regrade else "failed" if retry_failed else "nothing",
                allowance=allowance,
            )
        )
    spent = judging_costs(experiment, opener.prices)
    if as_json:
        taken = [judging_document(cost) for cost in spent]
        print_json({**scores.model_dump(mode="json", exclude_none=True), "spending": taken})
    else:
        print_scores(scores)
        print_judging(spent, opener.prices)
        say(f"Kept in {experiment / 'scores.json'}.")
    cut = None if allowance is None else allowance.closing
    if cut is not None:
        say(cut)
    failed = sum(judging.failed for judging in scores.judgings)
    if failed:
        say(f"A judge gave no usable answer {failed:,} times: the same command with --retry-failed asks again.")
    exit_code(failed + (cut is not None))
