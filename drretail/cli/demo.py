"""``drretail demo``: the whole path in one command, small, without a key or a server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags as options
from drretail.event_loop import run_loop
from drretail.files import write_atomically
from drretail.progress import Progress, choose_progress
from drretail.tables.figures import counted
from drretail.viewer.output import say

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.records.query import Query

SEED = "42"
TITLE = "drretail demo: two agents answer a shopper's question, a judge checks each claim, and you get a page to read."
RECORDED = "recorded from a language model, played back (scripted)"
BY_RULES = """
Three more questions, without a language model: offline:shopper searches for the words of a question, offline:judge
compares words. This shows that everything runs, not how well an agent answers."""


def demo(
    to: Annotated[Path, typer.Option("--to", help="The folder for all that the demo makes.")] = Path("drretail-demo"),
    quiet: options.Quiet = False,
) -> None:
    """Makes up a shop, answers a shopper's question, judges the answers, and writes two pages to read.

    What a language model answered as two agents and as their judge is played back; three more questions are answered
    and judged by rules. Nothing is downloaded and no key is needed. A second run goes on from what is there and shows
    the same.
    """
    typer.echo(TITLE, err=True)  # before what takes a second to load
    from drretail.data_ingest.demo import build_shop, check_is_demo
    from drretail.env.world import open_world
    from drretail.querygen.generate import demo_queries
    from drretail.viewer.experiment import read_view
    from drretail.viewer.page.document import page_of

    progress = choose_progress("none" if quiet else None)
    check_is_demo(to)
    folder = build_shop(to, progress)
    with open_world(folder) as shop:
        counts = shop.manifest.counts
        sizes = counted(counts.products, "product"), counted(counts.users, "user"), counted(counts.orders, "order")
        progress.note(f"{folder}: {', '.join(sizes)}.")
        _play(to, shop, folder, progress, quiet=quiet)
        asked = demo_queries(shop, to / "queries.jsonl", SEED)
        _answer_by_rules(to / "exp", shop, asked, progress)
    pages = {"report.html": to / "recorded", "rules.html": to / "exp"}
    for name, experiment in pages.items():
        write_atomically(to / name, page_of(read_view(experiment)))
    say(f"The answers by rules to three questions ({to / 'queries.jsonl'}), judged: {to / 'rules.html'}")
    say(f'\nAsk your own: drretail ask "…" --world {folder} --user {asked[0].user_id}')
    say(f"The page of the two agents ({RECORDED}), with each claim marked and its evidence a click away:")
    typer.echo(str(to / "report.html"))


def _play(to: Path, shop: "World", folder: Path, progress: "Progress", *, quiet: bool) -> None:
    """A question that a language model answered as two agents, and judged: a report, scoreboard and comparison."""
    from drretail.api.demo_recording import AGENTS, play_answers, play_judge, recorded_query
    from drretail.api.recorded import RecordedAnswer, RecordedExperiment
    from drretail.cli.narration import print_report
    from drretail.cli.run_progress import TerminalObserver
    from drretail.viewer.terminal.printed_scores import print_pairs, print_scoreboard

    query = recorded_query()
    say(f"\nA question of the shop's user {query.user_id}:\n{query.text}\n")
    say("A language model's answers and verdicts, recorded once, are played back; the tools run now.\n")
    play_answers(to / "recorded", shop, str(folder), TerminalObserver(quiet=quiet))
    experiment = RecordedExperiment(to / "recorded")
    answered = experiment.run(AGENTS[0])
    recorded = RecordedAnswer(answered, experiment.evidence(answered))
    say("")
    print_report(recorded, to / "recorded")
    write_atomically(to / "report.md", recorded.report)
    scores = play_judge(to / "recorded", shop, progress)
    if scores.scoreboard is not None:
        print_scoreboard(scores.scoreboard)
    typer.echo("")
    print_pairs(scores)


def _answer_by_rules(experiment: Path, shop: "World", queries: "tuple[Query, ...]", progress: "Progress") -> None:
    """The rule-based answers to all queries, with the rule-based judge's verdicts on them."""
    from drretail.api.judges import OFFLINE_JUDGE, judges
    from drretail.api.models import Opener
    from drretail.api.run import run
    from drretail.eval.registry import USUAL
    from drretail.eval.scoring import score
    from drretail.settings import OFFLINE_MODEL, read_settings

    say(BY_RULES)
    # Without floors: of three reports the tables would say little else than that nothing applies.
    run(shop, queries, "react", OFFLINE_MODEL, to=experiment, seed=SEED, baselines=False, parallel=1)
    table_key = judges([OFFLINE_JUDGE], Opener(read_settings()))
    run_loop(score(experiment, USUAL, table_key, store=shop.store, progress=progress))
