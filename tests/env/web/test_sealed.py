import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.api.worlds import open_world
from drretail.cli.app import app
from drretail.env.web.sealed import SealedWeb
from drretail.errors import UserError
from drretail.experiment import read_runs
from drretail.files import write_json, write_lines
from drretail.querygen.shipped import shipped_queries

QUERY = shipped_queries("dev")[0]
PAGES = [
    ("good", "Diaper bag guide", "A diaper bag with two straps is easier. ", "32k", "supportive"),
    ("old", "Diaper bag news", "A diaper bag costs nine dollars. ", "64k", "distractor"),
    ("far", "Lawn mowers", "Mowers cut grass and no diaper bag. ", "64k", "noise"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_world("demo") as world:
        about = {
            "format": 1, "world_fingerprint": world.manifest.fingerprint, "now": world.manifest.now.isoformat(),
            "seed": "1", "sizes": {"64k": 64000, "32k": 32000}, "counter": "characters/4", "web": "offline",
            "made_by": "test",
        }  # fmt: skip
    write_json(tmp_path / "sandbox.json", about)
    write_lines(tmp_path / "queries.jsonl", [QUERY.as_line()])
    task = tmp_path / "tasks" / QUERY.query_id
    (task / "files").mkdir(parents=True)
    lines = [{"url": f"https://{n}.example/", "title": t, "text": x, "from": s} for n, t, x, s, _ in PAGES]
    write_lines(task / "pages.jsonl.gz", map(json.dumps, lines))
    labels = [{"url": f"https://{n}.example/", "label": label} for n, *_, label in PAGES]
    write_lines(task / "labels.jsonl", map(json.dumps, labels))
    return tmp_path


def found(web: SealedWeb) -> set[str]:
    return {it.url[8:-9] for it in web.of(QUERY).search("diaper bag", 9)}


def test_a_larger_size_holds_the_smaller_ones_and_the_smallest_is_the_default(folder: Path) -> None:
    assert found(SealedWeb(folder)) == {"good"}
    assert found(SealedWeb(folder, "64k")) == {"good", "old", "far"}


@pytest.mark.parametrize(
    ("compose", "names"),
    [("no_distractor", {"good", "far"}), ("supportive_only", {"good"}), ("no_supportive", {"old", "far"})],
)
def test_a_composition_leaves_pages_out_by_their_labels(folder: Path, compose: str, names: set[str]) -> None:
    assert found(SealedWeb(folder, "64k", compose)) == names


def test_labels_are_read_for_a_composition_alone(folder: Path) -> None:
    (folder / "tasks" / QUERY.query_id / "labels.jsonl").unlink()
    assert found(SealedWeb(folder, "64k", "all")) == {"good", "old", "far"}
    with pytest.raises(UserError, match="labels"):
        SealedWeb(folder, "64k", "supportive_only").of(QUERY)


def test_a_query_is_found_by_its_words_and_another_is_refused(folder: Path) -> None:
    assert SealedWeb(folder).task(QUERY.model_copy(update={"query_id": "ask-1"})).name == QUERY.query_id
    with pytest.raises(UserError, match="no web for the query other"):
        SealedWeb(folder).of(QUERY.model_copy(update={"query_id": "other", "text": "?"}))


def run(folder: Path, to: Path, *more: str) -> tuple[int, str]:
    given = ["run", "--queries", str(folder / "queries.jsonl"), "--to", str(to), "--web", f"sandbox:{folder}", *more]
    outcome = CliRunner().invoke(app, [*given, "--no-floors", "--quiet"])
    return outcome.exit_code, str(outcome.exception)


def test_two_sizes_are_two_systems_of_one_experiment(folder: Path, tmp_path: Path) -> None:
    for size in ("32k", "64k"):
        assert run(folder, tmp_path / "exp", "--size", size)[0] == 0
    runs = list(read_runs(tmp_path / "exp"))
    assert {it.system for it in runs} == {"react@offline-shopper-size-32k", "react@offline-shopper-size-64k"}
    assert {it.status for it in runs} == {"done"}


def test_a_size_that_is_not_there_is_said_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    said = run(folder, tmp_path / "exp", "--size", "1m")[1]
    assert said.endswith("has no size 1m: it has 32k, 64k.")
