"""``drretail run``: agents over a file of queries, into an experiment folder."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli import options

MOST_FAILURES_TOLD = 10


def run(
    queries: Annotated[Path, typer.Option("--queries", metavar="FILE", help="Queries, one JSON object a line.")],
    to: options.To,
    world: options.World = "demo",
    agent: Annotated[list[str] | None, typer.Option("--agent", help="Who answers; may be given again.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="[ROLE=]PROVIDER:MODEL", help="Which model plays; offline without one."),
    ] = None,
    web: options.Web = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Independent runs of each query.")] = 1,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="EXP", help="Answer everything from that experiment's journals.")
    ] = None,
    tool_turns: Annotated[int, typer.Option("--tool-turns", min=1, help="Model turns with tool calls, at most.")] = 10,
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="Tokens of one run, at most.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed runs again.")] = False,
    scope_to_user: Annotated[bool, typer.Option("--scope-to-user", help="Tools refuse other users' data.")] = False,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Runs agents over queries. Finished runs are skipped and cut ones go on where they stopped."""
    from dataclasses import asdict

    from drretail.agents.opening import open_experiment
    from drretail.cli.output import print_json, print_table, say
    from drretail.cli.research import check_user, contestants, exit_code, narrated_runner
    from drretail.cli.webs import chosen_web
    from drretail.cli.worlds import opened_world
    from drretail.experiment import read_definition
    from drretail.querygen.reading import check_made_for, read_queries
    from drretail.records.run import Limits
    from drretail.settings import read_settings

    settings = read_settings(web=web)
    asked = read_queries(queries)
    if replay is not None:
        read_definition(replay)  # says so now when there is nothing to replay
    limits = Limits(tool_turns=tool_turns, tokens=tokens)
    chosen = {"scope_to_user": True} if scope_to_user else {}
    with opened_world(world, quiet=quiet, web=chosen_web(settings, replayed=replay is not None)) as shop:
        check_made_for(asked, shop.manifest.fingerprint)
        for query in asked:
            check_user(shop, query.user_id)
        players = contestants(agent or ["react"], model or [], shop, settings, options=chosen, limits=limits)
        runner = narrated_runner(shop, world, settings, quiet=quiet)
        runner.replay = replay
        with open_experiment(to, shop, asked, players, seed) as experiment:
            tallies = runner.run_all(experiment, players, asked, repeats, retry_failed=retry_failed)
    if as_json:
        print_json({"experiment": str(to), "systems": [asdict(tally) for tally in tallies]})
    else:
        rows = [(t.label, t.done, t.failed, t.before, t.tool_calls, t.tokens) for t in tallies]
        print_table(f"Runs in {to}", ["system", "done", "failed", "ended before", "tool calls", "tokens"], rows)
    for failure in [failure for tally in tallies for failure in tally.failures][:MOST_FAILURES_TOLD]:
        say(f"failed: {failure}")
    exit_code(any(tally.failed for tally in tallies))
