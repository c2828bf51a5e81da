"""``drretail run``: agents over a file of queries, into an experiment folder."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.entry import DEBUG
from drretail.cli.options import flags
from drretail.cli.options.groups import grouped
from drretail.cli.options.systems import Plan, asked_by, brought_queries, caution, exit_code, narrated, suts

if TYPE_CHECKING:
    from drretail.agents.running.batch import Watch
    from drretail.agents.running.run import Outcome
    from drretail.agents.running.runner import Runner
    from drretail.agents.running.shard import Shard
    from drretail.agents.running.system import SystemUnderTest
    from drretail.env.web.base import Web
    from drretail.env.world import World
    from drretail.llm.prices import PriceTable
    from drretail.settings import Settings

MOST_FAILURES_TOLD = 10
NO_PROFILE_SEEN = "--counterfactual adds nothing here: floors and the oracle do not look at a user's profile."
CITED_PAGES = (
    "Each run ends by fetching the web pages that its report cites (4 to 8 in the paper), without tokens: "
    "--no-pages leaves them out."
)
COLUMNS = ["", "done", "failed", "ended before", "tool calls", "tokens"]
SPARE_COLUMNS = ["ended before", "tool calls"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which systems answer which queries, how often, and what is kept for judges."""

    queries: Annotated[
        Path | None, typer.Option("--queries", metavar="FILE", help="Queries, one JSON object a line.")
    ] = None
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Who answers; may be given again.")] = None
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="paper: its six systems; closed_book, web_only, tools_only."),
    ] = None
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Independent runs of each query.")] = 1
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="N|ID,ID", help="Only the first N queries, or those of these ids."),
    ] = None
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Only this part of the queries; for many machines.")
    ] = None
    counterfactual: Annotated[
        list[str] | None,
        typer.Option("--counterfactual", metavar="swap|neutral", help="Run beside it with other users' data; again."),
    ] = None
    injected: Annotated[
        bool,
        typer.Option("--injected", help="Run beside it among hostile texts; the metric robustness tells the rest."),
    ] = False
    information: Annotated[
        list[str] | None,
        typer.Option(
            "--information",
            metavar="task|context|persona|tools",
            help="What is known of the shopper; but for tools, without the order and user tools; again for several.",
            show_default="tools",
        ),
    ] = None
    no_floors: Annotated[bool, typer.Option("--no-floors", help="Run no floors and no oracle beside the agents.")] = (
        False
    )
    no_pages: Annotated[
        bool, typer.Option("--no-pages", help="Don't fetch the pages that reports cite: FP_web is then n/a.")
    ] = False
    seed: flags.Seed = "42"
    title: Annotated[str | None, typer.Option("--title", help="What the experiment is called on its pages.")] = None

    def plan(self, profile: str | None, web: "Web") -> Plan:
        """Who answers which questions; with --only a part of them."""
        from drretail.agents.running.shard import only

        plan = asked_by(self.queries or brought_queries(web), self.agent, profile, self.preset)
        return plan if self.only is None else replace(plan, queries=only(plan.queries, self.only))

    def part(self) -> "Shard":
        """The part of the queries that is asked for; all of them without --shard."""
        from drretail.agents.running.shard import WHOLE, Shard

        return WHOLE if self.shard is None else Shard.read(self.shard)

    def with_others(self, systems: "list[SystemUnderTest]") -> "list[SystemUnderTest]":
        """The systems in their settings, and those beside them that see other users' data, or hostile texts."""
        from drretail.agents.running.system import counterfactuals, informed, injected
        from drretail.viewer.output import say

        systems = informed(systems, self.information or ())
        beside = counterfactuals(systems, self.counterfactual or ())
        if self.counterfactual and not beside:
            say(NO_PROFILE_SEEN)
        return systems + beside + (injected(systems) if self.injected else [])


@dataclass(frozen=True, slots=True)
class Again:
    """Which ended runs are made again."""

    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed runs again.")] = False
    retry_spoiled: Annotated[
        bool, typer.Option("--retry-spoiled", help="Make runs again whose tool calls a failing server left unanswered.")
    ] = False


@grouped
def run(
    to: flags.To,
    asked: Selection,
    models: flags.Models,
    options: flags.Options,
    sources: flags.Sources,
    limits: flags.RunLimits,
    cap: flags.RunsCap,
    again: Again,
    output: flags.Output,
    world: flags.World = "demo",
    web: flags.Web = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="EXP", help="Answer everything from that experiment's journals.")
    ] = None,
    estimate: flags.Estimate = False,
    parallel: Annotated[
        int | None, typer.Option("--parallel", min=1, help="Runs side by side, at most.", show_default="4")
    ] = None,
) -> None:
    """Runs agents over queries. Finished runs are skipped and cut ones go on where they stopped.

    The first Ctrl-C lets the runs in flight end, the second stops at once; the same command then goes on.
    """
    from drretail.agents.running.run import run as run_systems
    from drretail.agents.running.spending import Caps
    from drretail.agents.running.system import check_told, with_baselines
    from drretail.api.models import Opener
    from drretail.api.webs import chosen_web
    from drretail.api.worlds import check_askable, opened_world
    from drretail.env.offers import Offers
    from drretail.progress import Waits, busy
    from drretail.settings import read_settings

    settings = read_settings(parallel=parallel, web=web)
    searched = chosen_web(settings, replayed=replay is not None)
    plan, part = asked.plan(models.model_profile, searched), asked.part()
    check_parts(plan, part, replay)
    keyless = estimate or replay is not None
    opener = Opener(settings, models.base_url or [], keyless=keyless, tell=Waits(quiet=output.quiet))
    chosen, parts = options.of_system(plan.ablation, sources), sources.parts()
    given = {"options": chosen, "limits": limits.limits(), "scope": options.scope or plan.scope}
    with (
        opened_world(world, quiet=output.quiet, web=searched) as shop,
        ExitStack() as waiting,
    ):
        check_askable(shop, plan.queries)
        systems = suts(plan.agents, models.model or [], shop, opener, plan.profile, options.prompts, **given, **parts)
        systems = asked.with_others(systems)
        check_told(systems, plan.queries)
        if estimate:
            print_estimate(to, systems, plan, asked, again, opener.prices, as_json=output.as_json)
            return
        if replay is None:
            caution(shop, chosen.get("without", ()))
        else:
            say_told_otherwise(replay, shop, systems)
        systems = systems if asked.no_floors else with_baselines(systems, shop)
        runner, watch = watched_runner(shop, world, settings, replay, systems, plan, asked, waiting, quiet=output.quiet)
        runner.files = sources.files
        waiting.enter_context(busy("opening the experiment", quiet=output.quiet))
        outcome = run_systems(
            to, runner, systems, plan.queries, is_part=asked.only is not None, shard=part,
            repeats=asked.repeats, seed=asked.seed, title=asked.title, reference=Offers(shop).reference,
            parallel=settings.parallel, watch=watch,
            caps=Caps(opener.prices, cap.max_tokens, cap.max_dollars), **asdict(again),
        )  # fmt: skip
    print_outcome(to, outcome, systems, opener.prices, as_json=output.as_json)
    say_scored_with(to, searched)
    exit_code(not outcome.is_whole)


def check_parts(plan: Plan, part: "Shard", replay: Path | None) -> None:
    """Says when the shard has no query. Raises UserError now where there is nothing to replay."""
    from drretail.experiment import read_definition
    from drretail.viewer.output import say

    if not part.of_queries(plan.queries):
        say(f"None of the {len(plan.queries):,} queries falls into shard {part.number}/{part.of}.")
    if replay is not None:
        read_definition(replay)


def say_told_otherwise(replay: Path, shop: "World", systems: "Sequence[SystemUnderTest]") -> None:
    """Names the prompts that are not those of the replayed runs, whose journals then answer nothing."""
    from drretail.agents.running.system import definition
    from drretail.experiment import changed_prompts, read_definition
    from drretail.viewer.output import say

    held, asked = read_definition(replay), definition(shop, (), [*systems], "")
    for label in asked.systems:
        changed = changed_prompts(held, asked, label)
        if changed:
            files = ", ".join(changed)
            say(f"{label} is told otherwise than in {replay} ({files}): no answer is recorded for what it then asks.")


def print_estimate(
    to: Path,
    systems: "Sequence[SystemUnderTest]",
    plan: Plan,
    asked: Selection,
    again: Again,
    prices: "PriceTable",
    *,
    as_json: bool,
) -> None:
    """Prints what the runs that are still to be made are likely to take."""
    from drretail.agents.running.estimate import estimate_left
    from drretail.cli.spending import show_estimates
    from drretail.viewer.output import say

    mine = asked.part().of_queries(plan.queries)
    estimates = estimate_left(to, systems, mine, asked.repeats, prices, **asdict(again))
    show_estimates(f"Runs to make in {to}", ["system", "runs"], estimates, prices, as_json=as_json)
    if not asked.no_pages:
        say(CITED_PAGES)


def watched_runner(
    shop: "World",
    world: str,
    settings: "Settings",
    replay: Path | None,
    systems: "Sequence[SystemUnderTest]",
    plan: Plan,
    asked: Selection,
    waiting: ExitStack,
    *,
    quiet: bool,
) -> "tuple[Runner, AbstractContextManager[Watch]]":
    """A runner, and who is told of its runs: each step where one run goes after the other, else one bar over all."""
    from drretail.agents.running.run import count_runs
    from drretail.api.run import runner_of
    from drretail.cli.run_progress import watched
    from drretail.progress import choose_progress

    runs = count_runs(systems, asked.part().of_queries(plan.queries), asked.repeats)
    alone = min(settings.parallel, runs) == 1
    runner = runner_of(shop, settings, world, replay, pages=not asked.no_pages)
    if alone:
        narrated(runner, quiet=quiet)
    return runner, watched(choose_progress("none" if quiet else None), runner, runs, waiting, narrated=alone)


def say_scored_with(to: Path, web: "Web") -> None:
    """Names the command that scores the runs with what their sandbox knows of good answers, where it knows any."""
    from drretail.env.web.sealed import SealedWeb, has_gold
    from drretail.viewer.output import say

    if isinstance(web, SealedWeb) and has_gold(web.folder):
        criteria = f" --criteria {web.folder}" if (web.folder / "rubrics").is_dir() else ""
        say(f"Next: drretail score {to} --metrics dr3 --gold {web.folder}{criteria}")


def say_tracebacks(to: Path) -> None:
    """Says how the runs of the experiment came to fail whose agents raised something."""
    from drretail.experiment import read_runs
    from drretail.viewer.output import say

    errors = [(run.run_id, run.error) for run in read_runs(to) if run.error is not None]
    for run_id, error in [it for it in errors if it[1].traceback][:MOST_FAILURES_TOLD]:
        say(f"{run_id}:\n{error.traceback}")


def print_outcome(
    to: Path, outcome: "Outcome", systems: "Sequence[SystemUnderTest]", prices: "PriceTable", *, as_json: bool
) -> None:
    """What became of the runs and what they took, on stdout; what failed, on stderr."""
    from drretail.agents.running.spending import spending_of
    from drretail.cli.run_progress import made_again, spoiled, undeclared, unresearched
    from drretail.cli.spending import print_spending, spending_document
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_json, print_table, say

    spending = {system.label for system in systems if not system.agent.is_baseline}
    spent = [row for row in spending_of(to, prices) if row.label in spending]
    tallies = outcome.tallies
    if as_json:
        taken = [spending_document(row) for row in spent]
        print_json({"experiment": str(to), "systems": [asdict(tally) for tally in tallies], "spending": taken})
    else:
        rows = [(t.label, t.done, t.failed, t.before, t.tool_calls, t.tokens or None) for t in tallies]
        print_table(table_of(f"Runs in {to}", COLUMNS, rows, spare=SPARE_COLUMNS))
        if spent:  # floors and the oracle take nothing
            print_spending(spent, prices)
    for failure in [failure for tally in tallies for failure in tally.failures][:MOST_FAILURES_TOLD]:
        say(f"failed: {failure}")
    if DEBUG in sys.argv:
        say_tracebacks(to)
    if any(tally.no_research for tally in tallies):
        say(unresearched(tallies))
    if any(tally.spoiled for tally in tallies):
        say(spoiled(tallies))
    if (advice := made_again(tallies)) is not None:
        say(advice)
    if any(tally.picks_unknown for tally in tallies):
        say(undeclared(tallies))
    if outcome.closing is not None:
        say(outcome.closing)
