"""``drretail demo``: the whole path in one command, small, without a key or a server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags as options

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.progress import Progress
    from drretail.records.query import Query

SEED = "42"
TITLE = "drretail demo: a made-up shop, three questions, researched answers, and which of their sentences hold."
RECORDED = "recorded from a language model, played back (scripted)"


def demo(
    to: Annotated[Path, typer.Option("--to", help="The folder for all that the demo makes.")] = Path("drretail-demo"),
    quiet: options.Quiet = False,
) -> None:
    """Makes up a shop, answers shoppers' questions, judges the answers, and writes two pages to read.

    Three questions are answered by rules; what a language model answered to one of them is played back.
    Nothing is downloaded and no key is needed. A second run goes on from what is there and shows the same.
    """
    typer.echo(TITLE, err=True)  # before what takes a second to load
    from drretail.data_ingest.demo import build_shop, check_is_demo
    from drretail.env.world import open_world
    from drretail.files import write_atomically
    from drretail.progress import choose_progress
    from drretail.querygen.generate import demo_queries
    from drretail.viewer.experiment import read_view
    from drretail.viewer.output import say
    from drretail.viewer.page.document import page_of

    progress = choose_progress("none" if quiet else None)
    check_is_demo(to)
    folder = build_shop(to, progress)
    with open_world(folder) as shop:
        counts = shop.manifest.counts
        progress.note(f"{folder}: {counts.products:,} products, {counts.users:,} users, {counts.orders:,} orders.")
        asked = demo_queries(shop, to / "queries.jsonl", SEED)
        _answer(to, shop, asked, quiet=quiet)
        _judge(to / "exp", shop, progress)
        _play(to / "recorded", shop, folder, progress)
    pages = {"report.html": to / "recorded", "rules.html": to / "exp"}
    for name, experiment in pages.items():
        write_atomically(to / name, page_of(read_view(experiment)))
    say(f"\nThe answers by rules, judged: {to / 'rules.html'}")
    say(f'Ask your own: drretail ask "…" --world {folder} --user {asked[0].user_id}')
    say(f"The page of the two agents ({RECORDED}), with each claim marked and its evidence a click away:")
    typer.echo(str(to / "report.html"))


def _answer(to: Path, shop: "World", asked: "tuple[Query, ...]", *, quiet: bool) -> None:
    """Runs all queries; the first question is shown with its research and its report."""
    from drretail.api.recorded import RecordedAnswer
    from drretail.api.run import run
    from drretail.cli.narration import print_report
    from drretail.cli.run_progress import TerminalObserver
    from drretail.files import write_atomically
    from drretail.settings import OFFLINE_MODEL
    from drretail.viewer.output import say

    first = asked[0]
    say(f"\nThe question of user {first.user_id}:\n{first.text}\n")
    # Without floors: of three reports the tables would say little else than that nothing applies.
    given: dict[str, Any] = {"to": to / "exp", "seed": SEED, "baselines": False, "parallel": 1}
    observer = TerminalObserver(quiet=quiet)
    run(shop, asked, "react", OFFLINE_MODEL, only=[first.query_id], observer=observer, **given)
    experiment = run(shop, asked, "react", OFFLINE_MODEL, **given)
    answered = experiment.run("react", first.query_id)
    recorded = RecordedAnswer(answered, experiment.evidence(answered))
    say("")
    print_report(recorded, to / "exp")
    write_atomically(to / "report.md", recorded.report)
    say(f"\nTwo more questions ({to / 'queries.jsonl'}) were answered as well. Now all three are judged.")


def _play(experiment: Path, shop: "World", folder: Path, progress: "Progress") -> None:
    """A question that a language model answered as two agents, and judged: scoreboard and comparison."""
    from drretail.api.demo_recording import play_answers, play_judge, recorded_query
    from drretail.viewer.output import say
    from drretail.viewer.terminal.printed_scores import print_pairs, print_scoreboard

    asked = recorded_query()
    say(f"\nWhat a language model makes of a question, as two agents and as their judge: {RECORDED}.")
    say(f"\nThe question of user {asked.user_id}:\n{asked.text}\n")
    play_answers(experiment, shop, str(folder))
    scores = play_judge(experiment, shop, progress)
    if scores.scoreboard is not None:
        print_scoreboard(scores.scoreboard)
    typer.echo("")
    print_pairs(scores)


def _judge(experiment: Path, shop: "World", progress: "Progress") -> None:
    """The rule-based judge's verdicts on the rule-based answers."""
    from drretail.api.judges import OFFLINE_JUDGE, judges
    from drretail.api.models import Opener
    from drretail.eval.registry import USUAL
    from drretail.eval.scoring import score
    from drretail.event_loop import run_loop
    from drretail.settings import read_settings

    table_key = judges([OFFLINE_JUDGE], Opener(read_settings()))
    run_loop(score(experiment, USUAL, table_key, store=shop.store, progress=progress))
