"""Foreign forms are read alike; broken files are told in a sentence. Also tests benchmarks.py and material.py."""

import gzip
import json
from pathlib import Path

import pytest

from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import LONGEST_REPORT, Material, read_text
from drretail.addons.imports.recording import record
from drretail.errors import UserError
from drretail.experiments.experiment import KNOWN_ANSWERS
from drretail.progress import Progress
from tests.addons.imports.foreign import REPORT, drb, jsonl, text


def read(form: str, path: Path) -> Material:
    return load_format(form).read(path)


def test_reporteval_numbers_topics_as_its_own_files_do(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "qwen.jsonl", [{"topic": "Kettles", "report": REPORT}])
    jsonl(tmp_path / "topics.jsonl", [{"category_str": "Home", "topic": "Pans"}])
    assert list(read("reporteval", path).tasks) == ["33e661724136fc1d5be68ff54bdd456a"]  # md5sum
    material = read("reporteval", tmp_path)
    assert sorted(task.text for task in material.tasks.values()) == ["Kettles", "Pans"]
    assert len(material.reports) == 1


def test_dr3_gives_a_system_for_each_model_and_size(tmp_path: Path) -> None:
    jsonl(tmp_path / "query.jsonl", [{"number": "001", "query": "Which kettle?"}])
    checklist = {"checklist": [{"id": 1, "requirement": "Names a price", "category": "content"}]}
    text(tmp_path / "001" / "checklist.json", json.dumps(checklist))
    text(tmp_path / "001" / "notes.pdf", "")
    known = {"gold_insights": [{"insight": "The Alder is quiet."}]}
    text(tmp_path / "001" / "gold_insights_from_long_context.json", json.dumps(known))
    jsonl(tmp_path / "001" / "useful_search.jsonl", [{"title": "A test", "url": "https://lab.example/kettles"}])
    for size in ("32k", "128k"):
        text(tmp_path / "results" / "dr3" / size / "qwen" / "001" / "final_report.md", f"{size} {REPORT}")
    material = read("dr3", tmp_path)
    assert material.systems() == ["qwen-128k", "qwen-32k"]
    task = material.tasks["001"]
    assert (task.checklist, task.files) == (("Names a price",), ("notes.pdf",))
    record(material, "dr3", tmp_path / "exp", Progress())
    gold = KNOWN_ANSWERS.read(tmp_path / "exp", "001")
    assert gold is not None
    assert [insight.text for insight in gold.sandbox.insights] == ["The Alder is quiet."]
    assert [document.url for document in gold.sandbox.documents] == ["https://lab.example/kettles"]
    assert [document.title for document in gold.files.documents] == ["notes.pdf"]


def test_pdr_in_two_languages_with_the_same_ids(tmp_path: Path) -> None:
    questions = {"3-en": "Which kettle?", "3-zh": "买哪个水壶?"}
    for language, question, name in (("en", questions["3-en"], "Li"), ("zh", questions["3-zh"], "李")):
        row = {"id": 3, "language": language, "taskid": 1, "userid": "User1", "task": question, "query": question}
        jsonl(tmp_path / f"queries250_{language}.jsonl", [row])
        jsonl(tmp_path / f"personas_{language}.jsonl", [{"userid": "User1", "Name": name}])
        jsonl(tmp_path / "reports" / f"agent_{language}.jsonl", [{"id": 3, "article": f"{REPORT} {name}"}])
    material = read("pdr", tmp_path)
    assert {name: task.text for name, task in material.tasks.items()} == questions
    assert "李" in (material.tasks["3-zh"].persona or "")
    reports = {task: report.text for (_, task), report in material.reports.items()}
    assert reports == {"3-en": f"{REPORT} Li", "3-zh": f"{REPORT} 李"}
    assert material.systems() == ["agent"]
    path = jsonl(tmp_path / "tasks.jsonl", [{"taskid": 1, "domain": "Home", "task": "Which kettle?"}])
    assert list(read("pdr", path).tasks) == ["task-1"], "a task without a query stands for itself"


def test_markdown_takes_the_question_from_beside_or_from_the_heading(tmp_path: Path) -> None:
    text(tmp_path / "mine" / "one.md", "Talk.\n\n# Kettles ##\nText.")
    text(tmp_path / "mine" / "two.md", "# Pans")
    text(tmp_path / "mine" / "two.q", "Which pan?")
    text(tmp_path / "mine" / "wordless.md", " \n")
    material = read("markdown", tmp_path)
    assert material.systems() == ["mine"]
    questions = {name: (task.text, task.guessed) for name, task in material.tasks.items()}
    assert questions == {"one": ("Kettles", True), "two": ("Which pan?", False)}
    text(tmp_path / "mine" / "orphan.q", "Which one?")
    text(tmp_path / "mine" / "three.html", "<h1>Pots</h1>")
    account = read("markdown", tmp_path).files
    assert (account.came, account.used, account.adds_up) == (5, 2, True)
    left_out = [fate.first.rpartition("/")[2] for fate in account.left_out.values()]
    assert left_out == ["three.html", "orphan.q", "wordless.md"]


def refused(form: str, path: Path, match: str) -> None:
    with pytest.raises(UserError, match=match) as raised:
        load_format(form).read(path)
    assert "\n" not in str(raised.value)


def test_a_row_that_cannot_be_read_is_left_out_with_its_reason(tmp_path: Path) -> None:
    row: dict[str, object] = {"id": 2, "prompt": "Q?", "article": "One."}
    for content, told in [
        ('{"id": 2, "prompt": "cut', "not JSON (1, first: a.jsonl, line 2)"),
        ('{"name": "x"}', "no row of this format (1, first: a.jsonl, line 2)"),
        (json.dumps(row | {"article": {"a": 1}}), "its 'article' is no text (1, first: a.jsonl, line 2)"),
        (json.dumps(row | {"article": "x" * (LONGEST_REPORT + 1)}), "a report of more than 1,000,000 characters (1, "),
        ('{"id": 2, "prompt": "Q?"}', "no 'article' in it, beside reports (1, first: a.jsonl, line 2)"),
        (json.dumps(row | {"id": True}), "no 'query_id' or 'id' in it (1, first: a.jsonl, line 2)"),
        (json.dumps(row | {"id": 1, "prompt": "Question 1?"}), "the same as another row (1, first: a.jsonl, line 2)"),
    ]:
        path = drb(tmp_path / "a.jsonl", "One.")
        account = read("drb", text(path, f"{path.read_text()}{content}\n")).rows
        assert (account.came, account.used, account.adds_up) == (2, 1, True), told
        assert told in account.reasons.replace(f"{tmp_path}/", "")


def test_what_is_no_file_of_rows_and_rows_that_are_no_reports_are_refused(tmp_path: Path) -> None:
    row: dict[str, object] = {"id": 1, "prompt": "Q?", "article": "One."}
    for content, match in [
        (b'[\n{"id": 1,\n"prompt": }]', "is not JSON: .*line 3"),
        (b"\n<!DOCTYPE html><html>Sign in</html>", "page of the web"),
        (b'{"id": 1, "prompt": "\xff"}', "not in UTF-8"),
        (b"[" * 200_000, "not JSON"),
        ([row, row | {"article": "Two."}], "line 2: .* another report by a in"),
        ([row, row | {"prompt": "R?"}], "another question"),
    ]:
        if isinstance(content, bytes):
            (tmp_path / "a.json").write_bytes(content)
            refused("drb", tmp_path / "a.json", match)
        else:
            refused("drb", jsonl(tmp_path / "a.jsonl", content), match)


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    text(tmp_path / "x.pkl", "")
    for form in ("drb", "reporteval", "dr3", "pdr"):
        refused(form, tmp_path, "holds no file")


def test_a_file_of_rows_that_unpacks_to_a_gigabyte_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "reports.jsonl.gz"
    packed.write_bytes(gzip.compress(b" " * (1 << 20), 9) * 1024)
    monkeypatch.setattr("drretail.addons.imports.material.LARGEST", 64 << 20)
    with pytest.raises(UserError, match="no file of reports is as large"):
        read_text(packed)
