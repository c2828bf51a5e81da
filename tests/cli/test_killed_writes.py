"""Every command that makes a folder, killed as it writes one of its files, and given once more."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from drretail.addons.bench.release import make, publish
from drretail.addons.bench.submission import submit
from drretail.env.generations import TRANSIENT
from drretail.env.world import open_world
from drretail.files import write_atomically, write_json, write_lines
from drretail.progress import Progress
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.addons.bench.test_bench import CLOSES, LABEL, SEED
from tests.build import files
from tests.cli.commands import environment
from tests.cli.forked import ForkServer, dies_at
from tests.shop import USER, build_shop

COMMANDS: Mapping[str, str] = {
    "synth": "synth --to made --products 8 --reviews 20",
    "perturb": "synth --perturb w --to made",
    "ingest": "ingest raw --world made",
    "world copy": "world copy w made",
    "run": "run --world w --queries q.jsonl --agent react --no-floors --to made",
    "score": "score exp --metrics checks --metrics faithfulness",
    "import": "import markdown answers --to made",
    "export csv": "export exp --format csv",
    "export parquet": "export exp --format parquet",
    "export dataset": "export exp --format dataset",
    "export drb": "export exp --format drb",
    "export chat": "export exp --format chat --to made.jsonl.gz",
    "report": "report exp --split",
    "plots": "report exp --format plots",
    "plant": "lab plant exp --n 1",
    "exploits": "lab exploits exp",
    "bias": "lab bias exp --only length",
    "sample": "lab sample exp",
    "make": f"bench make --to made --closes 2026-12-01 --world w --queries q.jsonl --seed {SEED.replace(' ', '_')}",
    "publish": "bench publish R --to made",
    "submit": "bench submit R exp --manifest second.json --exhibit",
    "rank": "bench rank R",
    "sandbox": "sandbox build --to made --world big --n 1 --sizes 8k",
    "passing": "sandbox check s --to made",
}
OTHERWISE = re.compile(r"telemetry\.json|accepted\.json|.*journal\.jsonl(\.gz)?|.*\.sqlite|SHA256SUMS|manifest\.json")
"""Files with times, and those whose bytes hang on how they were written."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Path:
    """Raw rows, a shop, questions, an experiment that is scored, a sandbox, and a release with one submission."""
    home = tmp_path_factory.mktemp("home")
    with open_world(build_shop(home / "w")) as world:
        fingerprint = world.manifest.fingerprint
    wants = [("bird feeder", "30"), ("bird bath", "60")]
    queries = [
        Query(query_id=f"q{at}", user_id=USER, text=f"A {kind} for at most ${budget}.", world_fingerprint=fingerprint,
              wish=Wish(wants=(Want(name=kind, kinds=(kind,), again=True),), budget=Money.of(int(budget))), source="t")
        for at, (kind, budget) in enumerate(wants)
    ]  # fmt: skip
    write_lines(home / "q.jsonl", (query.as_line() for query in queries))
    for query in queries:
        write_atomically(home / "answers" / f"{query.query_id}.md", f"# {query.text}\n\nTake one.\n")
    quiet = Progress()
    make(home / "R", closes=CLOSES, world=home / "w", queries=home / "q.jsonl", seed=SEED, progress=quiet)
    publish(home / "R", home / "public", now=CLOSES.replace(month=1))
    for command in (
        "synth --to raw --products 60 --reviews 900 --category Pet_Supplies --category Office_Products",
        "ingest raw --world big",
        "run --world public/world --queries public/tasks.jsonl --agent react --no-floors --to exp",
        "score exp --metrics faithfulness --metrics checks",
        COMMANDS["sandbox"].replace("made", "s"),
    ):
        ended = fork_server.run(tuple(command.split()), home, environment(home))
        assert ended.returncode == 0, ended.stderr
    for name in ("first", "second"):
        systems = {LABEL: {"models": ["offline:shopper"]}}
        write_json(home / f"{name}.json", {"format": 1, "name": name, "systems": systems})
    submit(home / "R", home / "exp", home / "first.json", exhibit=True)
    return home


@pytest.mark.parametrize("moments", [1, pytest.param(8, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
@pytest.mark.parametrize("name", COMMANDS)
def test_given_again_a_killed_command_ends_like_one_that_was_not(
    home: Path, tmp_path: Path, fork_server: ForkServer, name: str, moments: int
) -> None:
    def run(folder: Path, dies: int) -> tuple[int, str]:
        ended = fork_server.run(tuple(COMMANDS[name].split()), folder, environment(folder, **dies_at(dies)))
        return ended.returncode, ended.stderr

    whole = shutil.copytree(home, tmp_path / "whole")
    code, told = run(whole, 0)
    assert code == 0, told
    writes = int(told.split()[-1])
    # Of the thousand files of some commands not each: the moments are spread evenly.
    for number in sorted({round(writes * (place + 0.5) / moments + 0.5) for place in range(moments)}):
        cut = shutil.copytree(home, tmp_path / f"cut-{number}")
        code, told = run(cut, number)
        assert code == -9, told
        code, told = run(cut, 0)
        assert code == 0, f"write {number} of {writes}: {told}"
        assert _contents(cut) == _contents(whole), f"write {number} of {writes}"
        shutil.rmtree(cut)


def _contents(folder: Path) -> dict[str, bytes]:
    """The files by their paths, without the bytes of some, those of an index, which are named by lot, and readers'."""
    found = {name: data for name, data in files(folder).items() if "/index/" not in name}
    found = {name: data for name, data in found.items() if not name.endswith(TRANSIENT)}
    return {name: b"" if OTHERWISE.fullmatch(Path(name).name) else data for name, data in found.items()}
