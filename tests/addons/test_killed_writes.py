"""Every command of an add-on that makes a folder, killed as it writes one of its files, and given once more."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from drretail.files import write_atomically
from tests.cli.forked import ForkServer
from tests.cli.test_killed_writes import MOMENTS, RAW, ends_alike, made_by, shop_and_questions

COMMANDS: Mapping[str, str] = {
    "import": "import markdown answers --to made",
    "export csv": "export exp --format csv",
    "export chat": "export exp --format chat --to made.jsonl.gz",
    "sample": "lab sample exp",
    "sandbox": "sandbox build --to made --world big --queries big.jsonl --sizes 8k --seed 8",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop, questions, answers, an experiment that is scored, and a sandbox."""
    home = tmp_path_factory.mktemp("home")
    shop_and_questions(home)
    for name in ("q0", "q1"):
        write_atomically(home / "answers" / f"{name}.md", f"# Which one of {name}?\n\nTake one.\n")
    made_by(
        home,
        RAW,
        "ingest raw --world big",
        "queries generate --world big --n 1 --seed 8 --to big.jsonl",
        "run --world w --queries q.jsonl --agent react --no-floors --to exp",
        "score exp --metrics faithfulness --metrics checks",
        COMMANDS["sandbox"].replace("made", "s"),
    )
    return home


@MOMENTS
@pytest.mark.parametrize("name", COMMANDS)
def test_given_again_a_killed_command_of_an_add_on_ends_like_one_that_was_not(
    home: Path, tmp_path: Path, fork_server: ForkServer, name: str, moments: Sequence[float]
) -> None:
    ends_alike(COMMANDS[name], home, tmp_path, fork_server, moments)
