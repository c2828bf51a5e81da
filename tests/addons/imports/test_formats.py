"""Every foreign form is read into the same tasks and reports; broken and hostile files are told in one sentence."""

import json
import time
from pathlib import Path

import pytest

from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import LONGEST_REPORT, Material, read_text
from drretail.addons.imports.recording import record
from drretail.errors import UserError
from drretail.experiment import read_gold
from drretail.progress import Progress
from drretail.records.shop import Money
from tests.addons.imports.foreign import REPORT, drb, jsonl, text
from tests.test_packed_bombs import MEGABYTE, bomb


def read(form: str, path: Path) -> Material:
    return load_format(form).read(path)


def by_task(material: Material) -> dict[tuple[str, str], str]:
    return {key: report.text for key, report in material.reports.items()}


def test_drb_a_file_is_a_system(tmp_path: Path) -> None:
    drb(tmp_path / "claude.jsonl", REPORT, "Nothing cited.")
    drb(tmp_path / "gpt.jsonl", "Other.")
    material = read("drb", tmp_path)
    assert material.systems() == ["claude", "gpt"]
    assert by_task(material)["claude", "1"] == REPORT
    assert material.tasks["2"].text == "Question 2?"


def test_drg_takes_question_and_answer_by_their_names(tmp_path: Path) -> None:
    text(tmp_path / "mine" / "a1.q", "Which kettle?\n")
    text(tmp_path / "mine" / "a1.a", REPORT)
    material = read("drg", tmp_path)
    assert by_task(material) == {("mine", "a1"): REPORT}
    assert material.tasks["a1"].text == "Which kettle?"


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
    gold = read_gold(tmp_path / "exp", "001")
    assert gold is not None
    assert [insight.text for insight in gold.sandbox.insights] == ["The Alder is quiet."]
    assert [document.url for document in gold.sandbox.documents] == ["https://lab.example/kettles"]
    assert [document.title for document in gold.files.documents] == ["notes.pdf"]


def test_liveresearch_reads_reports_by_their_names_and_keeps_checklists(tmp_path: Path) -> None:
    text(tmp_path / "gpt-5" / "qid_Ab1_report.md", REPORT)
    jsonl(tmp_path / "q.jsonl", [{"qid": "Ab1", "question": "Which?", "checklists": ["Names one", "Says why"]}])
    material = read("liveresearch", tmp_path)
    assert by_task(material) == {("gpt-5", "Ab1"): REPORT}
    assert material.tasks["Ab1"].checklist == ("Names one", "Says why")


def test_deepshop_types_are_a_checklist_and_answers_reports(tmp_path: Path) -> None:
    row = {"web_name": "Amazon", "id": "Amazon--1", "ques": "A red kettle?", "web": "https://www.amazon.com"}
    row |= {"attribute": "red", "filter": "None", "sort": "lowest price", "category": "Home", "difficulty": "easy"}
    jsonl(tmp_path / "tasks.jsonl", [row])
    jsonl(tmp_path / "agent.jsonl", [{"id": "Amazon--1", "answer": "The Alder."}])
    material = read("deepshop", tmp_path)
    assert material.tasks["Amazon--1"].checklist == ("red", "lowest price")
    assert by_task(material) == {("agent", "Amazon--1"): "The Alder."}


SHOPPER = {
    "user": "AH7",
    "situation": "Moving house.",
    "budget_range": "around $3 to $5",
    "user_query": "need a magnet",
    "user_context": {"brand_preferences": "Classic.", "price_sensitivity": "High."},
    "check_list": {"brand_preferences": ["Brand is Classic"]},
}


@pytest.mark.parametrize(
    ("written", "checklist"),
    [
        (SHOPPER["check_list"], ("Brand is Classic",)),
        (repr(SHOPPER["check_list"]), ("Brand is Classic",)),
        ("__import__('os').system('x')", ()),
    ],
    ids=["dict", "as Python writes it", "unreadable"],
)
def test_agenticshop_reads_checklists(written: object, checklist: tuple[str, ...], tmp_path: Path) -> None:
    path = text(tmp_path / "home.json", json.dumps([SHOPPER | {"check_list": written}], indent=2))
    (task,) = read("agenticshop", path).tasks.values()
    assert task.checklist == checklist
    assert task.persona == "Brand preferences: Classic.\nPrice sensitivity: High."
    assert task.context == "Situation: Moving house.\nBudget: around $3 to $5"


def test_ecomagentbench_types_a_wish_of_what_the_query_shows(tmp_path: Path) -> None:
    def rubric(number: int, kind: str, field: str, value: object, source: str = "query") -> dict[str, object]:
        about = {"id": f"r{number}", "type": kind, "field": field, "expected_value": value, "info_source": source}
        return {**about, "description": f"rubric {number}"}

    rubrics = [
        rubric(1, "attribute_match", "details.Item Form", "Cream"),
        rubric(2, "attribute_match", "details.Age Range", "Adult"),
        rubric(3, "attribute_match", "details.Brand", "Boao"),
        rubric(4, "numeric_range", "rating_number", {"min": 20}),
        rubric(5, "attribute_match", "details.Material", "Nylon", "persona"),
        rubric(6, "entity_match", "title", "face mask brush"),
        rubric(7, "numeric_range", "price", {"max": 12.5}),
    ]
    row = {"id": "v3_1", "user_query": "An adult face mask brush by Boao?", "user_persona": {"pets": "One cat"}}
    jsonl(tmp_path / "benchmark.jsonl", [row | {"rubrics": rubrics, "implicit_rubric_ids": ["r1"]}])
    jsonl(tmp_path / "agent.jsonl", [{"id": "v3_1", "answer": "The Boao."}])
    material = read("ecomagentbench", tmp_path)
    task = material.tasks["v3_1"]
    assert task.wish is not None
    (want,) = task.wish.wants
    assert (want.name, tuple(map(str, want.must)), want.brands_wanted) == ("face mask brush", ("Adult",), ("Boao",))
    assert (want.ratings_min, want.price_max) == (20, Money.of(12.5))
    assert task.persona == "Pets: One cat"
    assert len(task.checklist) == 7
    assert by_task(material) == {("agent", "v3_1"): "The Boao."}


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
    assert by_task(material) == {("agent", "3-en"): f"{REPORT} Li", ("agent", "3-zh"): f"{REPORT} 李"}
    path = jsonl(tmp_path / "tasks.jsonl", [{"taskid": 1, "domain": "Home", "task": "Which kettle?"}])
    assert list(read("pdr", path).tasks) == ["task-1"], "a task without a query stands for itself"


def test_arena_tasks_and_one_round_may_come_in_turn_and_of_two_rounds_each_is_a_system(tmp_path: Path) -> None:
    place, results = tmp_path / "tasks" / "deep_research", tmp_path / "results"
    task = {"task_id": "dr_deep_0001", "tier": "deep", "intent": "Compare three kettles at `__SHOPPING__`."}
    text(place / "dr_deep_0001.json", json.dumps(task, indent=2))
    text(place / "checklists_deep.json", json.dumps({"dr_deep_0001": ["three kettles"]}))
    for name in ("deep", "deep_v3"):
        report = "# A report\n\nThe kettle [source](http://localhost:7770/alder.html) boils."
        text(results / name / "camel-ai__dr_deep_0001_matrix.md", report)
        text(results / name / "LEADERBOARD_DEEP.md", "| camel-ai | 1040 |")
    record(read("arena", place), "arena", tmp_path / "exp", Progress())
    came = record(read("arena", results / "deep"), "arena", tmp_path / "exp", Progress())
    (count,) = came.reports
    assert (count.system, count.query_id, count.citations, count.sources) == ("camel-ai", "dr_deep_0001", 1, 1)
    assert read("arena", results).systems() == ["camel-ai-deep", "camel-ai-deep_v3"]


def test_markdown_takes_the_question_from_beside_or_from_the_heading(tmp_path: Path) -> None:
    text(tmp_path / "mine" / "one.md", "Talk.\n\n# Kettles ##\nText.")
    text(tmp_path / "mine" / "two.md", "# Pans")
    text(tmp_path / "mine" / "two.q", "Which pan?")
    text(tmp_path / "mine" / "wordless.md", " \n")
    material = read("markdown", tmp_path)
    assert material.systems() == ["mine"]
    questions = {name: (task.text, task.guessed) for name, task in material.tasks.items()}
    assert questions == {"one": ("Kettles", True), "two": ("Which pan?", False)}
    assert material.left_out == [str(tmp_path / "mine" / "wordless.md")]


def test_markdown_a_heading_without_end_is_read_at_once(tmp_path: Path) -> None:
    text(tmp_path / "one.md", "# \n# " + " " * 300_000 + "Kettles" + " " * 300_000 + "x")
    started = time.process_time()
    assert read("markdown", tmp_path).tasks["one"].text.startswith("Kettles")
    assert time.process_time() - started < 5


def refused(form: str, path: Path, match: str) -> None:
    with pytest.raises(UserError, match=match) as raised:
        load_format(form).read(path)
    assert "\n" not in str(raised.value)


def test_a_broken_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = drb(tmp_path / "a.jsonl", "One.", "Two.")
    path.write_text(path.read_text() + '{"id": 3, "prompt": "cut\n', encoding="utf-8")
    refused("drb", path, r"a\.jsonl, line 3, is not JSON")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b'[\n{"id": 1,\n"prompt": }]', "is not JSON: .*line 3"),
        (b"\n<!DOCTYPE html><html>Sign in</html>", "page of the web"),
        (b'{"id": 1, "prompt": "\xff"}', "not in UTF-8"),
        (b"[" * 200_000, "not JSON"),
        (b'{"id": 1, "prompt": "Q?", "article": {"a": 1}}', "'article' is no text"),
    ],
)
def test_what_is_no_file_of_rows_is_told(content: bytes, match: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(content)
    refused("drb", tmp_path / "a.json", match)


ROW = {"id": 1, "prompt": "Q?", "article": "One."}


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([ROW | {"article": "x" * (LONGEST_REPORT + 1)}], "line 1: a report has 1,000,001 characters"),
        ([ROW, ROW | {"article": "Two."}], "line 2: .* another report by a in"),
        ([ROW, ROW | {"prompt": "R?"}], "another question"),
        *(([ROW | {"id": strange}], "line 1 has no id") for strange in (None, True, [1], "")),
    ],
)
def test_rows_that_are_no_reports_are_refused(rows: list[dict[str, object]], match: str, tmp_path: Path) -> None:
    refused("drb", jsonl(tmp_path / "a.jsonl", rows), match)


def test_the_same_row_twice_is_counted(tmp_path: Path) -> None:
    assert load_format("drb").read(jsonl(tmp_path / "b.jsonl", [ROW, ROW])).repeated == 1


@pytest.mark.parametrize("form", ["drb", "drg", "reporteval", "dr3", "liveresearch", "deepshop", "agenticshop", "pdr"])
def test_a_folder_without_such_files_is_refused(form: str, tmp_path: Path) -> None:
    text(tmp_path / "x.pkl", "")
    refused(form, tmp_path, "holds no file")


def test_a_file_of_rows_that_unpacks_to_a_gigabyte_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.addons.imports.material.LARGEST", 64 * MEGABYTE)
    with pytest.raises(UserError, match="no file of reports is as large"):
        read_text(bomb(tmp_path / "reports.jsonl.gz", b" "))
