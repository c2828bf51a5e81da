"""``drretail run``: agents over a file of queries, into an experiment folder."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli import options

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

    from drretail.agents.contestant import counterfactuals, with_yardsticks
    from drretail.agents.crowd import Crowd
    from drretail.agents.opening import open_experiment
    from drretail.agents.shard import WHOLE, Shard
    from drretail.agents.spending import spending_of
    from drretail.cli.ablations import system_options
    from drretail.cli.budgeting import estimate_run, opened_purse
    from drretail.cli.models import Opener
    from drretail.cli.output import print_json, print_table, say
    from drretail.cli.presets import asked_by
    from drretail.cli.research import check_user, contestants, exit_code, narrated_runner, silent_runner
    from drretail.cli.running import spoiled, watched
    from drretail.cli.spending import print_spending, spending_document
    from drretail.cli.webs import chosen_web
    from drretail.cli.worlds import opened_world
    from drretail.experiment import read_definition
    from drretail.progress import choose_progress
    from drretail.querygen.reading import check_made_for
    from drretail.querygen.references import References
    from drretail.records.run import Limits
    from drretail.settings import read_settings

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
        players = contestants(plan.agents, model or [], shop, opener, plan.profile, options=chosen, limits=limits)
        beside = counterfactuals(players, counterfactual or ())
        if counterfactual and not beside:
            say(NO_PROFILE_SEEN)
        players += beside
        if estimate:
            estimate_run(to, players, mine, repeats, opener.prices, **again, as_json=as_json)
            return
        players = players if no_floors else with_yardsticks(players, shop)
        runs = sum(player.repeats(repeats) for player in players) * len(mine)
        alone = min(settings.parallel, runs) == 1
        runner = narrated_runner(shop, world, settings, quiet=quiet) if alone else silent_runner(shop, world, settings)
        runner.replay = replay
        with (
            open_experiment(to, shop, plan.queries, players, seed, reference=References(shop).of) as experiment,
            watched(choose_progress("none" if quiet else None), runner, runs, narrated=alone) as watch,
        ):
            purse = opened_purse(to, players, opener.prices, max_tokens, max_dollars)
            crowd = Crowd(runner, experiment, settings.parallel, watch, purse)
            tallies = crowd.run_all(players, mine, repeats, **again)
    spending = {player.label for player in players if not player.agent.is_yardstick}
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
    if purse is not None and purse.closing is not None:
        say(purse.closing)
    exit_code(any(tally.failed or tally.not_started for tally in tallies))
