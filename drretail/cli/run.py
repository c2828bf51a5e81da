"""``drretail run``: agents over a file of queries, into an experiment folder."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.agents.running.batch import Watch
from drretail.agents.running.outcomes import Ended, is_tool_call
from drretail.cli.options import flags as options
from drretail.progress import Bar, Progress

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.agents.running.runner import SystemUnderTest
    from drretail.llm.budget import ExperimentBudget
    from drretail.llm.prices import PriceTable
    from drretail.records.query import Query
if TYPE_CHECKING:
    from drretail.agents.running.outcomes import Tally
    from drretail.agents.running.runner import Runner
    from drretail.records.query import Query
    from drretail.records.run import Step, Usage


def estimate_run(
    to: "Path",
    players: "Sequence[SystemUnderTest]",
    queries: "Sequence[Query]",
    repeats: int,
    prices: "PriceTable",
    *,
    retry_failed: bool,
    retry_spoiled: bool,
    as_json: bool,
) -> None:
    """Prints what the runs that are still to be made are likely to take."""
    from drretail.agents.running.estimate import estimates_of
    from drretail.agents.running.spending import spending_of
    from drretail.cli.estimating import show_estimates

    wanted = [(query.query_id, repeat) for query in queries for repeat in range(1, repeats + 1)]
    again = {"retry_failed": retry_failed, "retry_spoiled": retry_spoiled}
    left = [
        (player.label, player.system, sum(_open(to, player.label, *run, **again) for run in wanted))
        for player in players
        if not player.agent.is_baseline
    ]
    spent = spending_of(to, prices) if (to / "experiment.json").exists() else []
    estimates = estimates_of(left, spent, prices)
    show_estimates(f"Runs to make in {to}", ["system", "runs"], estimates, prices, as_json=as_json)


def opened_budget(
    to: "Path", players: "Sequence[SystemUnderTest]", prices: "PriceTable", tokens: int | None, dollars: float | None
) -> "ExperimentBudget | None":
    """The experiment's budget, out of which its ended runs are paid already; None without a cap.

    Raises UserError when dollars are capped and a model of the experiment has no known price.
    """
    from drretail.cli.options.systems import check_priced
    from drretail.errors import UserError
    from drretail.experiment import read_definition, read_runs
    from drretail.llm.budget import ExperimentBudget
    from drretail.llm.prices import cost_of, unpriced

    if tokens is None and dollars is None:
        return None
    if dollars is not None:
        check_priced(model for player in players for model in player.models.values())
    experiment_budget = ExperimentBudget(prices, tokens, dollars)
    systems = read_definition(to).systems
    for run in read_runs(to):
        system = systems[run.system]
        unknown = cost_of(run.usage, system.models, prices).unpriced
        if dollars is not None and unknown:
            raise UserError(f"What {run.run_id} cost is unknown. {unpriced(unknown)}")
        experiment_budget.count(run.system, system, run.usage)
    return experiment_budget


def _open(to: "Path", label: str, query_id: str, repeat: int, *, retry_failed: bool, retry_spoiled: bool) -> bool:
    from drretail.agents.running.outcomes import is_open
    from drretail.experiment import read_run, run_folder

    folder = run_folder(to, label, query_id, repeat)
    run = read_run(folder) if (folder / "run.json").exists() else None
    return is_open(run, retry_failed=retry_failed, retry_spoiled=retry_spoiled)


class RunsShown(Watch):
    """One bar over all runs, and a line for the first failure. Steps are not told: those of several would mix."""

    def __init__(self, progress: Progress, bar: Bar, clock: Callable[[], float] = time.monotonic) -> None:
        self._progress = progress
        self._bar = bar
        self._clock = clock
        self._began = clock()
        self._left = 0
        self._here = 0
        """Runs that ended in this command: the measure of the time that is left."""
        self._failed = 0
        self._tool_calls = 0
        self._tokens = 0
        self._dollars: float | None = 0.0
        """None as soon as one call's price is unknown: a sum without it would be too low."""

    def planned(self, runs: int, ended: int) -> None:
        self._left = runs - ended
        self._began = self._clock()
        if ended:
            self._bar.advance(ended)
            self._progress.note(f"{ended:,} of {runs:,} runs had ended before.")

    def stepped(self, step: "Step", text: str) -> None:
        """A runner's ``on_step``: a first run may take minutes, and a person wants to see that something goes on."""
        del text
        if is_tool_call(step):
            self._tool_calls += 1
            self._bar.describe(self._said())

    def used(self, usage: "Usage", dollars: float | None) -> None:
        """A runner's ``on_use``: tokens and money go out long before the first run has ended."""
        self._tokens += usage.total
        self._dollars = None if dollars is None or self._dollars is None else self._dollars + dollars
        self._bar.describe(self._said())

    def ended(self, run: Ended) -> None:
        self._left -= 1
        self._here += 1
        self._bar.advance()
        if run.failure is not None:
            self._failed += 1
            if self._failed == 1:  # told at once: what is wrong with one, such as a key, may be wrong with all
                self._progress.note(f"failed: {run.failure}")
        self._bar.describe(self._said())

    def stopping(self, in_flight: int) -> None:
        runs = "the run in flight ends" if in_flight == 1 else f"the {in_flight} runs in flight end"
        self._progress.note(f"Stopping: no new run begins, and {runs}. Ctrl-C again stops at once.")

    def _said(self) -> str:
        failed = f", {self._failed:,} failed" if self._failed else ""
        spent = f" · ${self._dollars:,.2f}" if self._dollars else ""
        counts = f"{self._tool_calls:,} tool calls · {self._tokens:,} tokens{spent}"
        return f"runs: {self._here - self._failed:,} done{failed}, {self._left:,} left · {counts}{self._time_left()}"

    def _time_left(self) -> str:
        if not self._here or not self._left:
            return ""
        return f" · about {duration((self._clock() - self._began) / self._here * self._left)} left"


class RunsNarrated(Watch):
    """A heading for each run, for those whose steps are told one after the other."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def began(self, label: str, query: "Query") -> None:
        self._progress.note(f"{query.query_id} · {label}")

    def stopping(self, in_flight: int) -> None:
        self._progress.note("Stopping after this run. Ctrl-C again stops at once.")


@contextmanager
def watched(progress: Progress, runner: "Runner", runs: int, *, narrated: bool) -> Generator[Watch]:
    """Who is told of the runs for the time of a ``with`` block; a narrated runner tells its steps itself."""
    if narrated:
        yield RunsNarrated(progress)
        return
    with progress.track("runs", runs) as bar:
        shown = RunsShown(progress, bar)
        runner.on_step = shown.stepped
        runner.on_use = shown.used
        yield shown


def undeclared(tallies: "Sequence[Tally]") -> str:
    """In how many runs nobody knows what belongs into the cart."""
    runs, done = sum(tally.picks_unknown for tally in tallies), sum(tally.done for tally in tallies)
    return f"Of {done:,} reports {runs:,} {'does' if runs == 1 else 'do'} not say what belongs into the cart."


def spoiled(tallies: "Sequence[Tally]") -> str:
    """What failing servers cost several runs, and how to make it good."""
    calls, runs = sum(tally.calls_failed for tally in tallies), sum(tally.spoiled for tally in tallies)
    return (
        f"{calls:,} tool {'call' if calls == 1 else 'calls'} failed (unavailable or timeout) in {runs:,} "
        f"{'run' if runs == 1 else 'runs'}: the same command with --retry-spoiled makes such runs again."
    )


def duration(seconds: float) -> str:
    """Seconds as a person says them: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


MOST_FAILURES_TOLD = 10
NO_PROFILE_SEEN = "--counterfactual adds nothing here: floors and the oracle do not look at a user's profile."


def run(
    to: options.To,
    queries: Annotated[
        Path | None, typer.Option("--queries", metavar="FILE", help="Queries, one JSON object a line.")
    ] = None,
    world: options.World = "demo",
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Who answers; may be given again.")] = None,
    model: options.Model = None,
    model_profile: options.ModelProfile = None,
    base_url: options.BaseUrl = None,
    web: options.Web = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Independent runs of each query.")] = 1,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="I/N", help="Only this part of the queries; for many machines.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="EXP", help="Answer everything from that experiment's journals.")
    ] = None,
    tool_turns: Annotated[int, typer.Option("--tool-turns", min=1, help="Model turns with tool calls, at most.")] = 10,
    supervisor_turns: Annotated[int, typer.Option("--supervisor-turns", min=1, help="Of a supervisor, at most.")] = 6,
    researchers: Annotated[int, typer.Option("--researchers", min=1, help="Launched in one turn, at most.")] = 5,
    repairs: Annotated[int, typer.Option("--repairs", min=0, help="Of a draft that is verified, at most.")] = 2,
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="Tokens of one run, at most.")] = None,
    dollars: Annotated[float | None, typer.Option("--dollars", min=0.0001, help="Dollars of one run, at most.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens of all the experiment's runs, at most.")
    ] = None,
    max_dollars: Annotated[
        float | None, typer.Option("--max-dollars", min=0.0001, help="Dollars of all the experiment's runs, at most.")
    ] = None,
    estimate: options.Estimate = False,
    parallel: Annotated[
        int | None, typer.Option("--parallel", min=1, help="Runs side by side, at most.", show_default="4")
    ] = None,
    without: options.Without = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="paper: its six systems; closed_book, web_only, tools_only."),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed runs again.")] = False,
    retry_spoiled: Annotated[
        bool, typer.Option("--retry-spoiled", help="Make runs again whose tool calls a failing server left unanswered.")
    ] = False,
    scope_to_user: Annotated[bool, typer.Option("--scope-to-user", help="Tools refuse other users' data.")] = False,
    redact: options.Redact = False,
    counterfactual: Annotated[
        list[str] | None,
        typer.Option("--counterfactual", metavar="swap|neutral", help="Run beside it with other users' data; again."),
    ] = None,
    no_floors: Annotated[
        bool, typer.Option("--no-floors", help="Run no floors and no oracle beside the agents.")
    ] = False,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Runs agents over queries. Finished runs are skipped and cut ones go on where they stopped.

    The first Ctrl-C lets the runs in flight end, the second stops at once; the same command then goes on.
    """
    from dataclasses import asdict

    from drretail.agents.running.batch import Batch
    from drretail.agents.running.new_experiment import open_experiment
    from drretail.agents.running.shard import WHOLE, Shard
    from drretail.agents.running.spending import spending_of
    from drretail.agents.running.system import counterfactuals, with_baselines
    from drretail.cli.options.models import Opener
    from drretail.cli.options.systems import (
        asked_by,
        check_user,
        exit_code,
        narrated_runner,
        silent_runner,
        suts,
        system_options,
    )
    from drretail.cli.options.webs import chosen_web
    from drretail.cli.options.worlds import opened_world
    from drretail.cli.run import estimate_run, opened_budget, spoiled, watched
    from drretail.cli.spending import print_spending, spending_document
    from drretail.experiment import read_definition
    from drretail.progress import choose_progress
    from drretail.querygen.reading import check_made_for
    from drretail.querygen.references import References
    from drretail.records.run import Limits
    from drretail.settings import read_settings
    from drretail.viewer.output import print_json, print_table, say

    settings = read_settings(parallel=parallel, web=web)
    part = WHOLE if shard is None else Shard.read(shard)
    plan = asked_by(queries, agent, model_profile, preset)
    mine = part.of_queries(plan.queries)
    if not mine:
        say(f"None of the {len(plan.queries):,} queries falls into shard {shard}.")
    if replay is not None:
        read_definition(replay)  # says so now when there is nothing to replay
    limits = Limits(
        supervisor_turns=supervisor_turns,
        researchers=researchers,
        tool_turns=tool_turns,
        repairs=repairs,
        tokens=tokens,
        dollars=dollars,
    )
    opener = Opener(settings, base_url or [], keyless=estimate or replay is not None)
    again = {"retry_failed": retry_failed, "retry_spoiled": retry_spoiled}
    chosen = system_options(without, plan.ablation, scope_to_user=scope_to_user, redact=redact)
    with opened_world(world, quiet=quiet, web=chosen_web(settings, replayed=replay is not None)) as shop:
        check_made_for(plan.queries, shop.manifest.fingerprint)
        for query in plan.queries:
            check_user(shop, query.user_id)
        players = suts(plan.agents, model or [], shop, opener, plan.profile, options=chosen, limits=limits)
        beside = counterfactuals(players, counterfactual or ())
        if counterfactual and not beside:
            say(NO_PROFILE_SEEN)
        players += beside
        if estimate:
            estimate_run(to, players, mine, repeats, opener.prices, **again, as_json=as_json)
            return
        players = players if no_floors else with_baselines(players, shop)
        runs = sum(player.repeats(repeats) for player in players) * len(mine)
        alone = min(settings.parallel, runs) == 1
        runner = narrated_runner(shop, world, settings, quiet=quiet) if alone else silent_runner(shop, world, settings)
        runner.replay = replay
        with (
            open_experiment(to, shop, plan.queries, players, seed, reference=References(shop).of) as experiment,
            watched(choose_progress("none" if quiet else None), runner, runs, narrated=alone) as watch,
        ):
            experiment_budget = opened_budget(to, players, opener.prices, max_tokens, max_dollars)
            batch = Batch(runner, experiment, settings.parallel, watch, experiment_budget)
            tallies = batch.run_all(players, mine, repeats, **again)
    spending = {player.label for player in players if not player.agent.is_baseline}
    spent = [row for row in spending_of(to, opener.prices) if row.label in spending]
    if as_json:
        taken = [spending_document(row) for row in spent]
        print_json({"experiment": str(to), "systems": [asdict(tally) for tally in tallies], "spending": taken})
    else:
        rows = [(t.label, t.done, t.failed, t.before, t.tool_calls, t.tokens) for t in tallies]
        print_table(f"Runs in {to}", ["system", "done", "failed", "ended before", "tool calls", "tokens"], rows)
        if spent:  # floors and the oracle take nothing
            print_spending(spent, opener.prices)
    for failure in [failure for tally in tallies for failure in tally.failures][:MOST_FAILURES_TOLD]:
        say(f"failed: {failure}")
    if any(tally.spoiled for tally in tallies):
        say(spoiled(tallies))
    if any(tally.picks_unknown for tally in tallies):
        say(undeclared(tallies))
    if experiment_budget is not None and experiment_budget.closing is not None:
        say(experiment_budget.closing)
    exit_code(any(tally.failed or tally.not_started for tally in tallies))
