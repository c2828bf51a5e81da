"""A sandbox with a web for each query, from the command line."""

from pathlib import Path

import pytest

from drretail.env.world import open_world
from drretail.querygen.reading import read_queries
from tests.cli.commands import ErrorOf
from tests.sealed import Page, seal

PAGES = [
    Page("good", "Bird feeder and bird bath test", "Clean a bird feeder every two weeks.", "32k", "supportive"),
    Page("old", "Bird feeder news", "A bird feeder needs no cleaning at all.", "64k", "distractor"),
]
RUN = ("run", "--world", "w", "--web", "sandbox:s", "--to", "exp", "--no-floors", "--quiet")


@pytest.fixture
def sandbox(tmp_path: Path, shop: str, queries: str) -> Path:
    """A sandbox ``s`` for the two queries in the tiny shop."""
    asked = read_queries(tmp_path / queries)
    with open_world(tmp_path / shop) as world:
        tasks = {each.query_id: PAGES for each in asked}
        return seal(tmp_path / "s", tasks, asked, world.manifest, files={"note.md": "The feeder hangs in the shade."})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--vary", "size=1m"), "has no size 1m: it has 32k, 64k."),
        (("--vary", "compose=none"), "There is no composition 'none'."),
        (("--web", "sandbox", "--queries", "queries.jsonl", "--vary", "size=32k"), "size is for a sandbox's folder"),
        (("--files", "s/tasks"), "s brings the users' files of its queries: leave --files out."),
        (("--web", "sandbox:elsewhere"), "elsewhere was made for another shop: name its world with --world."),
    ],
)  # fmt: skip
def test_what_a_sandbox_cannot_serve_is_refused_in_a_sentence_before_anything_runs(
    error_of: ErrorOf, sandbox: Path, tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    first = read_queries(sandbox / "queries.jsonl")[0]
    seal(tmp_path / "elsewhere", {"q1": PAGES}, [first])
    web = RUN.index("--web")
    run = (*RUN[:web], *RUN[web + 2 :]) if "--web" in given else RUN
    assert message in error_of(*run, *given)
    assert not (tmp_path / "exp").exists()
