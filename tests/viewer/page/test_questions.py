"""Two agents on one question: side by side, what they pick, how judges compared them, and where each is named."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from drretail import open_world, run
from drretail.errors import UserError
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.metrics.pairwise import prompt_for
from drretail.experiment import entitle, read_definition, read_evidence, read_runs, run_folder, write_definition
from drretail.files import write_lines
from drretail.records.reading import Pick
from drretail.records.run import Run
from drretail.records.score import JudgeRef
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import write_report
from drretail.viewer.page.question import Questions
from tests import build
from tests.build import LABEL, SYSTEM, demands, experiment
from tests.shop import USER, build_shop
from tests.viewer.diff_agents import AGENTS, QUESTION
from tests.viewer.dom import Element, parse
from tests.viewer.experiment import rewrite
from tests.viewer.rendered import render_page


def first_question(folder: Path) -> Element:
    return parse(render_page(folder)).by_id("q1")


def test_an_answer_of_unknown_picks_shows_none_and_unchecked_limits_are_named(mine: Path) -> None:
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": None}))
    answer = next(first_question(mine).all("article", "answer"))
    assert not list(answer.all("ul", "bought"))
    assert not list(answer.all("p", "kept"))

    definition = read_definition(mine)
    wish = Wish(wants=(Want(name="bird feeder", kinds=("feeder",), rating_min=4.5),), budget=Money.of(30))
    queries = tuple(query.model_copy(update={"wish": wish}) for query in definition.queries)
    write_definition(mine, definition, queries)
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": (Pick(product="B0TEST0001"),)}))
    assert "bird feeder: of the kind feeder; at least 4.5 stars · budget: $30.00 in total" in first_question(mine).text


def test_claims_that_sources_do_not_bear_out_are_a_click_away(judged: Path) -> None:
    page = parse(render_page(judged))
    links = [a for a in page.by_id("questions").all("a") if "data-claims" in a.attributes]
    assert links
    for link in links:
        ids = link.attributes["data-claims"].split()
        assert link.attributes["href"] == f"#{ids[0]}"
        assert all("none" in page.by_id(each).attributes["class"] for each in ids)
        assert "not supported by" in link.text


def test_the_understood_wish_is_shown_with_its_run(tmp_path: Path) -> None:
    understood = Wish(wants=(Want(name="nest box", kinds=("birdhouse",), quantity=2),), budget=Money.of(45))
    typed = Wish(wants=(Want(name="nesting box", kinds=("birdhouse",), must=demands("<b>cedar</b>")),))
    runs = {"q1-r1": build.run("q1-r1", "Take it.", understood=understood)}
    own = ["2 × nest box: of the kind birdhouse", "budget: $45.00 in total"]
    shown = ['nesting box: of the kind birdhouse; must meet "<b>cedar</b>"']
    for name, wish, lists in (("typed", typed, [own, shown]), ("not", None, [own])):
        folder = experiment(tmp_path / name, {LABEL: runs}, queries=[build.query(wish=wish)])
        found = parse(render_page(folder)).all("ul", "wish")
        assert [[line.text for line in each.all("li")] for each in found] == lists


HOSTILE = "</td></table><script>alert(1)</script>"
JUDGE = JudgeRef(spec="scripted:judge", kind="scripted")


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("questions")
    with open_world(build_shop(home / "w")) as world:
        run(world, [QUESTION, "Is there a bird bath?"], AGENTS, to=home / "exp", user=USER, baselines=False)
    for query in read_definition(home / "exp").queries:
        held = {each.system: each for each in read_runs(home / "exp") if each.query_id == query.query_id}
        compare(home / "exp", held["after"], held["before"])
    return home / "exp"


def compare(folder: Path, a: Run, b: Run) -> None:
    """A judge prefers ``a`` in both orders by clarity, whoever comes first by depth, and fails by breadth."""
    path = verdict_path(folder, "pairwise", "scripted-judge", "after~before", f"{a.query_id}-r1")
    file = VerdictFile(path)
    for dimension in ("clarity", "depth", "breadth", "overall"):
        for order in ("ab", "ba"):
            about: dict[str, Any] = {"run_id": a.run_id, "report_sha": a.report_sha, "judge": JUDGE, "order": order}
            about |= {"other_run_id": b.run_id, "other_report_sha": b.report_sha}
            about |= {"prompt_hash": prompt_for(dimension).hash, "reason": f"{dimension} in order {order} {HOSTILE}"}
            value = {"clarity": "a", "depth": order[0], "overall": "equal"}.get(dimension)
            made = build.verdict("pairwise", "comparison", dimension, value, **about)
            failed = {"state": "failed", "reason": None, "error": "no answer in 60 seconds"}
            file.append(made.model_copy(update=failed) if value is None else made)
    file.close()


@pytest.fixture(scope="module")
def page(answered: Path) -> Element:
    return parse(render_page(answered))


def test_the_page_goes_from_questions_to_method_and_tells_a_judges_choice_with_its_reasons(page: Element) -> None:
    ids = [section.attributes["id"] for section in page.all("section") if "id" in section.attributes]
    assert ids == ["first", "map", "questions"]
    ids = [folded.attributes["id"] for folded in page.all("details", "fold")]
    assert ids == ["plots", "runs", "scores", "failures", "method", "reading", "repeat"]
    questions = [part.attributes["id"] for part in page.all("details", "question")]
    assert questions == ["q1", "q2"]
    assert QUESTION in page.by_id("questions").text
    meeting = next(page.by_id("q1").all("details", "meeting"))
    rows = {next(row.all("th")).text: row.text for row in meeting.all("tr")}
    assert "after" in next(meeting.all("summary")).text
    assert "clarity in order ab" in rows["clarity"]
    assert "clarity in order ba" in rows["clarity"]
    preferred = [cell.text.strip() for row in meeting.all("tr") for cell in list(row.all("td"))[:1]]
    assert preferred == ["after", "tie", "judging failed", "tie"]
    assert "equal" in rows["overall"]
    assert HOSTILE in meeting.text


def test_the_title_is_made_of_queries_and_systems_until_somebody_gives_one(answered: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder-name"
    shutil.copytree(answered, folder)
    assert read_view(folder).title == "2 queries answered by after and before"
    entitle(folder, "  Feeders,\n before and after ")
    page = parse(render_page(folder))
    assert next(page.all("h1")).text == "Feeders, before and after"
    assert "folder-name" not in next(page.all("title")).text
    entitle(folder, " ")
    assert read_view(folder).title == "2 queries answered by after and before"
    report = {"q1-r1": "Get it."}
    sizes = [f"size-{size}" for size in ("32k", "64k", "128k")]
    names = [*(f"ant@model-{size}" for size in sizes), *(f"bee@model-files-a1b2-{size}" for size in sizes)]
    titled = read_view(
        experiment(tmp_path / "exp", dict.fromkeys(names, report), agents={name: name[:3] for name in names})
    )
    assert titled.title.endswith("answered by ant and bee, 6 systems in all")


def test_links_within_a_folder_lead_to_pages_and_places_that_are_there(answered: Path, tmp_path: Path) -> None:
    folder = write_report(read_view(answered), tmp_path / "report.html", "split").parent
    parsed = {path.name: parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}
    ids = {
        name: {each.attributes["id"] for each in page.all() if "id" in each.attributes} for name, page in parsed.items()
    }
    links = [
        (name, each.attributes["href"])
        for name, page in parsed.items()
        for each in page.all("a")
        if "href" in each.attributes
    ]
    inside = [(name, href) for name, href in links if not href.startswith(("http", "data:"))]
    for name, href in inside:
        page, _, place = href.partition("#")
        assert (page or name) in parsed
        assert not place or place in ids[page or name]
    assert {href.partition("#")[0] for name, href in inside if name == "index.html"} >= set(parsed) - {"index.html"}


def test_above_the_limit_a_file_becomes_a_folder(
    answered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert write_report(read_view(answered), tmp_path / "report.html") == tmp_path / "report.html"
    (tmp_path / "report").mkdir()
    earlier = (tmp_path / "report.html").read_bytes()
    (tmp_path / "report" / "query-gone.html").write_bytes(earlier)
    (tmp_path / "report" / "query-own.html").write_text("<title>my own</title>", encoding="utf-8")
    monkeypatch.setattr("drretail.viewer.page.document.LARGEST", 20_000)
    assert write_report(read_view(answered), tmp_path / "report.html") == tmp_path / "report" / "index.html"
    assert not (tmp_path / "report.html").exists()
    assert not (tmp_path / "report" / "query-gone.html").exists()
    assert (tmp_path / "report" / "query-own.html").exists()
    monkeypatch.setattr("drretail.viewer.page.document.LARGEST_SINGLE", 20_000)
    with pytest.raises(UserError, match="leave --single out"):
        write_report(read_view(answered), tmp_path / "report.html", "single")
    assert not (tmp_path / "report.html").exists()


def test_one_file_replaces_the_folder_of_an_earlier_report_and_no_other_file(answered: Path, tmp_path: Path) -> None:
    view, to = read_view(answered), tmp_path / "report.html"
    write_report(view, to, "split")
    assert write_report(view, to, "single") == to
    assert not (tmp_path / "report").exists()
    write_report(view, to, "split")
    (tmp_path / "report" / "notes.txt").write_text("mine", encoding="utf-8")
    write_report(view, to, "single")
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["notes.txt"]


def test_a_run_of_a_dozen_claims_takes_no_more_than_40_kb_beside_evidence_and_conversation(judged: Path) -> None:
    text = render_page(judged)
    beside = re.sub(r'(?s)<details class="evidence".*?</details>', "", text)
    beside = re.sub(r'(?s)<details class="conversation".*?(?=<details class="usage")', "", beside)
    questions = beside[beside.index('<section id="questions">') : beside.index('id="runs">')]
    assert len(questions.encode()) / len(read_view(judged).runs) < 40_000


def test_what_a_report_cites_stands_there_in_full(answered: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exp"
    shutil.copytree(answered, folder)
    run, *_ = read_runs(folder)
    place = run_folder(folder, run.system, run.query_id, run.repeat)
    cited = run.citations[0].evidence_id
    long = " ".join(f"word{number}" for number in range(5_000))
    entries = [
        each.model_copy(update={"texts": tuple(text.model_copy(update={"text": long}) for text in each.texts)})
        if each.id == cited
        else each
        for each in read_evidence(place)
    ]
    write_lines(place / "evidence.jsonl.gz", (entry.as_line() for entry in entries))
    assert long in render_page(folder)


def test_webs_are_named_and_stand_side_by_side_the_open_one_first(tmp_path: Path) -> None:
    changes: tuple[dict[str, object], ...] = (
        {"options": {"redact": True}},
        {"options": {"size": "64k"}, "web_corpus": "c"},
        {"options": {"without": ["web"]}},
        {"web_provider": "serper"},
        {"options": {"redact": True}, "agent": "another"},
    )
    of = {system.label(): system for system in (SYSTEM.model_copy(update=change) for change in changes)}
    view = read_view(experiment(tmp_path / "exp", {label: {"q1-r1": "It lasts."} for label in of}, of=of))
    page = parse(f"<div>{Questions(view).render(view.questions[0]).body}</div>")
    found = [" ".join(next(each.all("h4")).text.split()) for each in page.all("article", "answer")]
    assert [each.partition(" ")[2] for each in found] == ["", "", "(serper (open web))", "(sandbox 64k)", "(no web)"]
    assert found[0].startswith("another")
