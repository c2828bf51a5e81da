"""The best systems of two experiments on one page."""

import shutil
from pathlib import Path

import pytest

from drretail import compare, open_world, run, score
from drretail.errors import UserError
from drretail.experiment import (
    Experiment,
    other_versions,
    read_definition,
    reference_path,
    run_files,
    write_definition,
)
from drretail.files import write_json
from drretail.records.query import KeptReference, Proof
from drretail.records.run import BASELINES
from drretail.run_file import journal_size
from drretail.viewer.experiment import beside, read_view
from drretail.viewer.page.document import pair_page
from drretail.viewer.page.question import Questions, Rendered
from tests.build import known
from tests.run_files import edit_member
from tests.shop import USER, build_shop
from tests.viewer.agents import DIFFERING, QUESTION


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pair")
    with open_world(build_shop(home / "w")) as world:
        run(world, [QUESTION], DIFFERING, to=home / "exp", user=USER, baselines=False)
    score(home / "exp", ["faithfulness", "checks"])
    return home / "exp"


def test_the_best_systems_of_two_experiments_are_paired_on_what_both_ask(compared: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(compared, tmp_path / "other"))
    view = beside(read_view(compared), read_view(other))
    a, b = view.definition.systems
    assert b == f"{a}@other"
    assert [run.subject.label for run in view.runs] == [a, b]
    board = known(view.scores.scoreboard)
    assert [row.system for row in board.rows] == [a, b]
    names = {column.name for column in board.columns}
    assert names
    said = board.compared, board.sentence, board.absent
    assert said == ((), "", ()), "nothing is concluded between two experiments"
    definition = read_definition(other)
    queries = [query.model_copy(update={"text": "Another?"}) for query in definition.queries]
    write_definition(other, definition.model_copy(update={"queries": tuple(queries)}))
    with pytest.raises(UserError, match="exp and other share no query"):
        beside(read_view(compared), read_view(other))


def test_experiments_on_two_versions_of_one_set_say_so(
    compared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [Path(shutil.copytree(compared, tmp_path / name)) for name in ("one", "two")]
    for version, folder in enumerate(folders, 1):
        definition = read_definition(folder)
        queries = [query.model_copy(update={"part_of": f"demo-50 {version}"}) for query in definition.queries]
        write_definition(folder, definition.model_copy(update={"queries": tuple(queries)}))
    one, two = folders
    sentence = "The queries are of demo-50 1 here and of demo-50 2 there: a difference may come from the queries."
    view = beside(read_view(one), read_view(two))
    assert sentence in known(view.scores.scoreboard).notes
    assert sentence in pair_page(view)
    compare(one, last=two, fail_if=["FP < last"])
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert other_versions(read_definition(one), read_definition(compared)) == []
    with pytest.raises(UserError, match=r"one asks queries of demo-50 1, not of demo-50 2: use a new folder"):
        Experiment(one, read_definition(two))


def test_each_answer_has_the_conversation_and_the_proof_of_its_own_experiment(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(shutil.copytree(judged, tmp_path / "other"))
    view = beside(read_view(judged), read_view(other))
    question = view.questions[0]
    anchors = [view.runs[place].anchor for place in question.places]
    kept = KeptReference(query_id=question.query.query_id, wants=(), proof=Proof(state="proved"))
    write_json(reference_path(other, kept.query_id), kept.model_dump(mode="json"))

    def shown() -> tuple[Rendered, list[bool]]:
        made = Questions(view).render(question)
        return made, [f'id="{anchor}-talk"' in made.body for anchor in anchors]

    made, talks = shown()
    assert [card.proof for card in made.card.answers] == [None, "proved"]
    assert (made.card.is_infeasible, talks) == (False, [True, True])
    size = sum(journal_size(path) for experiment in (judged, other) for path in run_files(experiment))
    monkeypatch.setattr("drretail.viewer.page.question.ALL_TALKS", size - 1)
    assert shown()[1] == [False, False], "the journals of both count"
    for path in run_files(other):
        edit_member(path, "journal", lambda _: [])
    assert shown()[1] == [True, False]


def test_an_experiment_of_floors_alone_has_no_best_system(compared: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(compared, tmp_path / "other"))
    definition = read_definition(other)
    floor = next(iter(definition.systems.values())).model_copy(update={"agent": BASELINES[0]})
    write_definition(other, definition.model_copy(update={"systems": {BASELINES[0]: floor}}))
    (other / "scores.json").unlink()
    with pytest.raises(UserError, match="other has no system that researches"):
        beside(read_view(compared), read_view(other))
