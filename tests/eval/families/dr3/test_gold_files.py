import json
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.families.dr3.gold_files import take_gold
from drretail.experiment import Definition, read_gold
from drretail.files import write_json
from drretail.records.criteria import Gold
from tests.eval.families.dr3.research import GOLD, QUERY


def taken(tmp_path: Path, source: Path, task_id: str | None = None) -> Gold | None:
    asked = Definition(queries=(QUERY.model_copy(update={"task_id": task_id}),), systems={})
    take_gold(tmp_path / "exp", asked, str(source))
    return read_gold(tmp_path / "exp", "q1")


@pytest.mark.parametrize("place", ["q1.json", "gold/q1.json", "tasks/q1/gold.json"])
def test_gold_is_found_in_a_folder_an_experiment_and_a_sandbox(tmp_path: Path, place: str) -> None:
    write_json(tmp_path / "source" / place, GOLD.model_dump(mode="json"))
    assert taken(tmp_path, tmp_path / "source") == GOLD


def test_gold_of_another_query_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "source/q1.json", GOLD.model_copy(update={"query_id": "q2"}).model_dump(mode="json"))
    with pytest.raises(UserError, match="of the query q2"):
        taken(tmp_path, tmp_path / "source")


def dr3_eval(folder: Path) -> Path:
    (folder / "source").mkdir(parents=True)
    (folder / "gold_insights_from_source.json").write_text(
        json.dumps({"gold_insights": [{"insight": "It cost 22.99."}]})
    )
    (folder / "gold_insights_from_long_context.json").write_text(
        json.dumps({"gold_insights": [{"insight": "Clean it."}, {"insight": "It was recalled."}]})
    )
    page, other = {"title": "Care", "url": "https://birds.example/care"}, {"title": "Recalls"}
    (folder / "useful_search.jsonl").write_text(f"{json.dumps([page, other])}\n{json.dumps(page)}\n")
    for name in ("orders.xlsx", "photo.png", "long_context_sampled_32k.json", "task.md", "source/manual.pdf"):
        (folder / name).write_bytes(b"x")
    return folder


def test_the_files_of_dr3_eval_are_gold_by_the_task_s_own_id(tmp_path: Path) -> None:
    dr3_eval(tmp_path / "data/001")
    gold = taken(tmp_path, tmp_path / "data", "001")
    assert gold is not None
    assert [insight.text for insight in gold.files.insights] == ["It cost 22.99."]
    assert [(insight.id, insight.text) for insight in gold.sandbox.insights] == [
        ("page-1", "Clean it."),
        ("page-2", "It was recalled."),
    ]
    assert [(document.title, document.url) for document in gold.sandbox.documents] == [
        ("Care", "https://birds.example/care"),
        ("Recalls", ""),
    ]
    assert [document.title for document in gold.files.documents] == ["orders.xlsx", "manual.pdf"]


def test_a_broken_file_of_theirs_is_told(tmp_path: Path) -> None:
    (dr3_eval(tmp_path / "data/q1") / "gold_insights_from_source.json").write_text("{}")
    with pytest.raises(UserError, match="does not hold gold as DR³-Eval has it"):
        taken(tmp_path, tmp_path / "data")


def test_a_folder_without_any_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        taken(tmp_path, tmp_path / "data")
    (tmp_path / "data/q1").mkdir(parents=True)
    with pytest.raises(UserError, match="holds no gold"):
        taken(tmp_path, tmp_path / "data")
