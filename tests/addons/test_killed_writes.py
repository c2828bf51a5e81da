"""Every command of an add-on that makes a folder, killed as it writes one of its files, and given once more."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from drretail.addons.bench.release import make, publish
from drretail.addons.bench.submission import submit
from drretail.files import write_atomically, write_json
from drretail.progress import Progress
from tests.addons.bench.test_bench import CLOSES, LABEL, SEED
from tests.cli.conftest import JUDGE
from tests.cli.forked import ForkServer
from tests.cli.test_killed_writes import MOMENTS, RAW, ends_alike, made_by, shop_and_questions

COMMANDS: Mapping[str, str] = {
    "perturb": "world perturb w --to made",
    "import": "import markdown answers --to made",
    "export csv": "export exp --format csv",
    "export parquet": "export exp --format parquet",
    "export drb": "export exp --format drb",
    "export chat": "export exp --format chat --to made.jsonl.gz",
    "plant": "lab plant exp --n 1",
    "bias": "lab bias exp --only length --judge scripted:judge.toml",
    "sample": "lab sample exp",
    "make": f"bench make --to made --closes 2099-12-01 --world w --queries q.jsonl --seed {SEED.replace(' ', '_')}",
    "publish": "bench publish R --to made",
    "submit": "bench submit R exp --manifest second.json --exhibit",
    "rank": "bench rank R",
    "sandbox": "sandbox build --to made --world big --n 1 --sizes 8k",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop, questions, answers, a release with one submission, an experiment that is scored, and a sandbox."""
    home = tmp_path_factory.mktemp("home")
    shop_and_questions(home)
    for name in ("q0", "q1"):
        write_atomically(home / "answers" / f"{name}.md", f"# Which one of {name}?\n\nTake one.\n")
    write_atomically(home / "judge.toml", JUDGE)
    quiet = Progress()
    make(home / "R", closes=CLOSES, world=home / "w", queries=home / "q.jsonl", seed=SEED, progress=quiet)
    publish(home / "R", home / "public", now=CLOSES.replace(month=1))
    made_by(
        home,
        RAW,
        "ingest raw --world big",
        "run --world public/world --queries public/tasks.jsonl --agent react --no-floors --to exp",
        "score exp --metrics faithfulness --metrics checks",
        COMMANDS["sandbox"].replace("made", "s"),
    )
    for name in ("first", "second"):
        systems = {LABEL: {"models": ["offline:shopper"]}}
        write_json(home / f"{name}.json", {"format": 1, "name": name, "systems": systems})
    submit(home / "R", home / "exp", home / "first.json", exhibit=True)
    return home


@MOMENTS
@pytest.mark.parametrize("name", COMMANDS)
def test_given_again_a_killed_command_of_an_add_on_ends_like_one_that_was_not(
    home: Path, tmp_path: Path, fork_server: ForkServer, name: str, moments: int
) -> None:
    ends_alike(COMMANDS[name], home, tmp_path, fork_server, moments)
