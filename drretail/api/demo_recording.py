"""The demo's questions with a language model's answers and judgements, recorded once and played without a key.

scripts/record_demo.py says how to record them again.
"""

from pathlib import Path

from drretail.agents.registry import load_agent
from drretail.agents.running.run import run_systems
from drretail.agents.running.system import suts
from drretail.api.options.observer import SILENT
from drretail.api.settings import read_settings
from drretail.api.systems import runner_of
from drretail.env.world import World
from drretail.eval.baskets import references_of
from drretail.eval.judging.session import Judge
from drretail.eval.registry import PAIRWISE, USUAL
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.event_loop import run_loop
from drretail.llm.registry import Model
from drretail.llm.scripted import read_script, scripted_model
from drretail.progress import Progress
from drretail.querygen.reading import read_queries
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.run import Limits
from drretail.records.score import Scores

AGENTS = ("react", "hybrid_react")
LIMITS = Limits(researchers=2)
"""The limits under which the answers were recorded."""
_RECORDINGS = Path(__file__).parent / "recordings"
QUERIES, SCRIPT = _RECORDINGS / "demo_queries.jsonl", _RECORDINGS / "demo.json.gz"
SEED = "42"


def recorded_queries() -> tuple[Query, ...]:
    """The recorded questions, each with its user."""
    return read_queries(QUERIES)


def recorded_model() -> Model:
    """The model that plays the recorded answers of the agents and of the judge."""
    return scripted_model(play=read_script(SCRIPT), name="recorded")


def play_answers(folder: Path, shop: World, spec: str) -> int:
    """Runs both agents on the questions, with the recorded model and the real tools. The number of failed runs.

    ``spec`` is the world's name in the runs.
    """
    agents = {name: load_agent(name) for name in AGENTS}
    players = suts(agents, {"": recorded_model()}, shop, limits=LIMITS)
    runner = runner_of(shop, read_settings(), spec)
    queries = recorded_queries()
    title = f"{counted(len(queries), 'question')}, two agents (a language model's recorded answers)"
    watch = SILENT.runs(runner, len(players) * len(queries), parallel=1)
    outcome = run_systems(folder, runner, players, queries, seed=SEED, title=title, parallel=1, watch=watch)
    return sum(tally.failed for tally in outcome.tallies)


def play_judge(folder: Path, shop: World, progress: Progress) -> Scores:
    """Scores every report, and each pair of reports on a question, with the recorded judge."""
    plan = ScoringPlan(
        folder,
        (*USUAL, PAIRWISE),
        [Judge.of(recorded_model())],
        store=shop.store,
        references=references_of(folder, shop),
        packs=True,
        progress=progress,
    )
    return run_loop(score_experiment(plan))
