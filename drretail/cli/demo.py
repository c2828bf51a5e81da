"""``drretail demo``: the whole path in one command, small, without a key or a server."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli import options
from drretail.cli.output import say

SEED = "42"


def demo(
    to: Annotated[Path, typer.Option("--to", help="The folder for all that the demo makes.")] = Path("drretail-demo"),
    quiet: options.Quiet = False,
) -> None:
    """Makes up a shop, ingests it, asks a shopper's question, and shows the cited report.

    Nothing is downloaded and no key is needed. A second run goes on from what is there and shows the same.
    """
    say("drretail demo: a made-up shop, one question, one researched answer.")
    from drretail.agents.asking import ask_once
    from drretail.cli.report import markdown_report, print_report
    from drretail.cli.research import contestants, narrated_runner
    from drretail.data_ingest.demo import build_shop, check_is_demo
    from drretail.env.world import open_world
    from drretail.files import write_atomically
    from drretail.progress import choose_progress
    from drretail.querygen.demo import demo_query
    from drretail.settings import OFFLINE_MODEL, read_settings

    progress = choose_progress("none" if quiet else None)
    check_is_demo(to)
    world_folder = build_shop(to, progress)
    with open_world(world_folder) as shop:
        counts = shop.manifest.counts
        progress.note(
            f"{world_folder}: {counts.products:,} products, {counts.users:,} users, {counts.orders:,} orders."
        )
        query = demo_query(shop, to / "queries.jsonl", SEED)
        say(f"\nThe question of user {query.user_id}:\n{query.text}\n")
        settings = read_settings()
        (contestant,) = contestants(["react"], [OFFLINE_MODEL], shop, settings)
        runner = narrated_runner(shop, str(world_folder), settings, quiet=quiet)
        recorded = ask_once(runner, contestant, query, to / "exp")
    say("")
    print_report(recorded, to / "exp")
    write_atomically(to / "report.md", markdown_report(recorded))
    say(f"The report: {to / 'report.md'}")
    say(f'Ask your own: drretail ask "…" --world {world_folder} --user {query.user_id}')
