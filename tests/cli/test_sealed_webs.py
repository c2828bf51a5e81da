"""Experiments on a sandbox with a web for each query, from the command line."""

import json
from pathlib import Path

import pytest

from drretail.env.world import open_world
from drretail.experiment import read_definition
from drretail.files import read_lines
from drretail.querygen.reading import read_queries
from tests.cli.commands import Command, ErrorOf
from tests.sealed import Page, seal

PAGES = [
    Page("good", "Bird feeder and bird bath test", "Clean a bird feeder every two weeks.", "32k", "supportive"),
    Page("old", "Bird feeder news", "A bird feeder needs no cleaning at all.", "64k", "distractor"),
]
RUN = ("run", "--world", "w", "--web", "sandbox:s", "--to", "exp", "--no-floors", "--quiet")
SMALL, LARGE = "react@offline-shopper-size-32k", "react@offline-shopper-size-64k"


@pytest.fixture
def sandbox(tmp_path: Path, shop: str, queries: str) -> Path:
    """A sandbox ``s`` for the two queries in the tiny shop."""
    asked = read_queries(tmp_path / queries)
    with open_world(tmp_path / shop) as world:
        tasks = {each.query_id: PAGES for each in asked}
        return seal(tmp_path / "s", tasks, asked, world.manifest, files={"note.md": "The feeder hangs in the shade."})


@pytest.mark.usefixtures("sandbox")
def test_sizes_and_compositions_are_systems_of_one_experiment(
    succeeds: Command, error_of: ErrorOf, tmp_path: Path
) -> None:
    ran = succeeds(*RUN, "--vary", "size=32k,64k", "--vary", "compose=all,no_distractor", "--cross", "--no-pages")
    assert "No --queries given: those of s/queries.jsonl are asked." in ran.stderr
    assert "Next: drretail score exp --metrics dr3 --gold s" in ran.stderr
    exp = tmp_path / "exp"
    assert {SMALL, LARGE} < {*read_definition(exp).systems}
    fetching = ("score", "exp", "--metrics", "faithfulness", "--fetch-sources", "--web")
    assert "read fixed pages (sandbox" in error_of(*fetching, "sandbox")
    for command in (
        (*fetching, "sandbox:s"),
        ("score", "exp", "--metrics", "dr3", "--gold", "s"),
        ("compare", "exp", SMALL, LARGE),
        ("report", "exp"),
        ("export", "exp", "--format", "sandbox"),
        ("export", "exp", "--format", "csv"),
    ):
        succeeds(*command)
    by = ("compare", "exp", "--metrics", "dr3:FA", "--by")
    (table,) = json.loads(succeeds(*by, "size", "--json").stdout)["size"]
    assert [cell["part"] for cell in table["rows"][0]["cells"]] == ["32k", "64k"]
    assert "distractors" in succeeds(*by, "compose").stdout.partition("No effect of ")[2]
    assert json.loads(succeeds(*by, "compose", "--json").stdout)["compose"]
    assert "two values of web" in error_of(*by, "web")
    page = (exp / "report.html").read_text(encoding="utf-8")
    shown = ("dr3 FA by the sandbox", 'id="by-compose"', "No effect of distractors")
    assert [part for part in shown if part not in page] == []
    pages = [json.loads(line)["url"] for line in read_lines(exp / "exports/pages.jsonl")]
    assert pages == ["https://good.example/", "https://old.example/"]


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
