"""The report as a whole, and its questions. Also tests question.py, frame.py and viewer/cart.py.
scores_cell: tests/api/test_notebook.py.
"""

import base64
import hashlib
import json
import re
import shutil
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drretail import run
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.metrics.pairwise import comparison_prompt
from drretail.experiments.experiment import path_of, read_definition, read_runs, run_files, write_definition
from drretail.experiments.run_file import Recorded, read_journal, read_recorded, write_run_file
from drretail.querygen.reading import read_queries
from drretail.records.base import sha256_of
from drretail.records.reading import Pick
from drretail.records.run import Run
from drretail.records.score import JudgeRef
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.viewer.commands import query_files
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import write_report_page
from drretail.viewer.page.frame import displayable
from tests import build
from tests.build import LABEL, demands, experiment
from tests.run_files import cut, lines_of
from tests.shop import USER
from tests.viewer.agents import DIFFERING, QUESTION
from tests.viewer.dom import Element, parse
from tests.viewer.experiment import judge_by_hand, render_page, rewrite

HOSTILE = "</pre></style></script><script>alert(1)</script><img src=x onerror=alert(2)>\" onclick='alert(3)' {{ 7*7 }}"
LOADING = ("src", "srcset", "style", "background", "poster", "data", "action", "formaction", "ping")


@pytest.fixture(scope="module")
def page(judged: Path) -> Element:
    return parse(render_page(judged))


def assert_harmless(page: Element) -> None:
    """One style, one script, nothing loaded, no handlers, and links to pages, places of this page and one file."""
    assert (len(list(page.all("style"))), len(list(page.all("script")))) == (1, 1)
    assert not [
        e.tag
        for e in page.all()
        if e.tag in ("img", "iframe", "object", "embed", "link", "base", "form", "image", "use")
    ]
    drawn = {e.tag for image in page.all("svg") for e in image.all()}
    assert drawn <= {"svg", "title", "g", "line", "rect", "circle", "polygon", "text", "pattern"}
    for element in page.all():
        assert not [name for name in element.attributes if name.startswith("on") or name in LOADING]
        href = element.attributes.get("href", "#")
        assert href.startswith(("#", "http://", "https://")) or "download" in element.attributes


def test_the_page_stands_alone_and_its_policy_admits_only_its_own_style_and_script(page: Element) -> None:
    assert_harmless(page)
    assert "url(" not in next(page.all("style")).text.replace("url(#", "")  # which is on the page itself
    assert "@import" not in next(page.all("style")).text
    policy = next(m.attributes["content"] for m in page.all("meta") if "http-equiv" in m.attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for rule, tag in (("style-src", "style"), ("script-src", "script")):
        digest = hashlib.sha256(next(page.all(tag)).text.encode()).digest()
        assert rules[rule] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert (rules["default-src"], rules["img-src"], rules["base-uri"]) == ("'none'", "data:", "'none'")
    assert "unsafe" not in policy


def test_the_page_has_the_quotes_of_claims_why_runs_failed_and_what_repeats_it(page: Element) -> None:
    cards = [card for card in page.all("article", "card") if "partial" in card.attributes["class"]]
    quotes = [mark.text for card in cards for mark in card.all("mark", "quote")]
    assert quotes
    assert all("The price stands there, the rating differs." in card.text for card in cards)
    failed = page.by_id("r3")
    assert "The run failed (timeout, in react): no answer within 60 seconds <b>at all</b>" in failed.text
    assert "failed" in next(failed.all("summary")).text
    text = page.by_id("repeat").text
    assert re.search(r"drretail run exp/options/\w+\.toml --world W --queries queries\.jsonl --to exp-again\n", text)
    assert "drretail score exp-again --metrics faithfulness,quality,checks --judge scripted:judge" in text
    link = next(link for link in page.all("a") if "download" in link.attributes)
    lines = base64.b64decode(link.attributes["href"].partition(",")[2]).decode().splitlines()
    assert [json.loads(line)["query_id"] for line in lines] == ["q1", "q2", "q3"]


def test_the_queries_to_download_are_tasks_and_gold_that_no_crawler_reads(tmp_path: Path) -> None:
    asked = build.query(wish=Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),)))
    view: Any = SimpleNamespace(definition=SimpleNamespace(queries=[asked]))
    for name, data in query_files(view).items():
        assert b"feeder" not in data
        (tmp_path / name).write_bytes(data)
    assert read_queries(tmp_path / "queries.jsonl") == (asked,)


def test_a_run_that_was_cut_is_told_from_one_that_was_never_made(mine: Path) -> None:
    interrupted, gone, *_ = run_files(mine)
    cut(interrupted)
    gone.unlink()
    page = parse(render_page(mine))
    assert "was interrupted before it ended" in page.by_id("r1").text
    assert "was never made" in page.by_id("r2").text


def test_the_same_folder_gives_the_same_bytes_wherever_it_lies(judged: Path, mine: Path) -> None:
    assert render_page(judged) == render_page(judged) == render_page(mine)


def test_hostile_text_stays_text_and_no_mark_turns_the_words_beside_it(mine: Path) -> None:
    for each in list(read_runs(mine)):
        poison(mine, each)
    shutil.rmtree(mine / "verdicts")
    judge_by_hand(mine)
    page = parse(render_page(mine))
    assert_harmless(page)
    assert page.text.count("alert(1)") > 10
    assert "{{ 7*7 }}" in page.text

    assert (
        displayable("a \u202eturned\u202c and \u2067isolated\u2069 \u200f\ud800 word") == "a turned and isolated ? word"
    )


def poison(folder: Path, run: Run) -> None:
    """Puts hostile text wherever text of others comes in: report, titles, addresses, sources, results, errors."""
    path = path_of(folder, run)
    recorded = read_recorded(path)
    entries = [
        entry.model_copy(
            update={
                "title": entry.title + HOSTILE,
                "url": 'javascript:alert(1)//"><script>' if entry.kind == "web" else entry.url,
                "texts": tuple(text.model_copy(update={"text": text.text + HOSTILE}) for text in entry.texts),
            }
        )
        for entry in recorded.evidence
    ]
    results = {sha: HOSTILE + text for sha, text in recorded.texts.items()}
    hashes = {sha: sha256_of(text) for sha, text in results.items()}
    steps = tuple(
        step.model_copy(
            update={"name": HOSTILE, "args": {HOSTILE: HOSTILE}, "result_sha": hashes.get(step.result_sha or "")}
        )
        for step in run.steps
    )
    fields: dict[str, object] = {"steps": steps, "notes": (HOSTILE,)}
    if run.report is not None:
        links = '\n\n[a](javascript:alert(1)) <javascript:alert(1)> [b](http://x.y/"onclick="alert(1)) \udc00'
        report = (run.report + "\n\n" + HOSTILE + links).encode("utf-8", "replace").decode()
        fields |= {"report": report, "report_sha": sha256_of(report)}
    poisoned = run.model_copy(update=fields)
    write_run_file(path, Recorded(poisoned, tuple(entries), results, recorded.telemetry, lines_of(read_journal(path))))


def test_an_answer_of_unknown_picks_shows_none_and_unchecked_limits_are_named(mine: Path) -> None:
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": None}))
    answer = next(parse(render_page(mine)).by_id("q1").all("article", "answer"))
    assert not list(answer.all("ul", "bought"))
    assert not list(answer.all("p", "kept"))

    definition = read_definition(mine)
    wish = Wish(wants=(Want(name="bird feeder", kinds=("feeder",), rating_min=4.5),), budget=Money.of(30))
    queries = tuple(query.model_copy(update={"wish": wish}) for query in definition.queries)
    write_definition(mine, definition.model_copy(update={"queries": queries}))
    (first, *_) = read_runs(mine)
    rewrite(mine, first.model_copy(update={"picks": (Pick(product="B0TEST0001"),)}))
    question = parse(render_page(mine)).by_id("q1")
    assert "bird feeder: of the kind feeder; at least 4.5 stars · budget: $30.00 in total" in question.text


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


JUDGE = JudgeRef(spec="scripted:judge", kind="scripted")


@pytest.fixture(scope="module")
def answered(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("questions")
    run(world, [QUESTION, "Is there a bird bath?"], DIFFERING, to=home / "exp", user=USER, baselines=False)
    for query in read_definition(home / "exp").queries:
        held = {each.system: each for each in read_runs(home / "exp") if each.query_id == query.query_id}
        a, b = held["after"], held["before"]
        file = VerdictFile(verdict_path(home / "exp", "pairwise", "scripted-judge", "after~before", f"{a.query_id}-r1"))
        # A judge prefers ``a`` in both orders by clarity, whoever comes first by depth, and fails by breadth.
        for dimension, order in product(("clarity", "depth", "breadth", "overall"), ("ab", "ba")):
            about: dict[str, Any] = {"run_id": a.run_id, "report_sha": a.report_sha, "judge": JUDGE, "order": order}
            about |= {"other_run_id": b.run_id, "other_report_sha": b.report_sha}
            about |= {"prompt_hash": comparison_prompt(dimension).hash}
            about |= {"reason": f"{dimension} in order {order} {HOSTILE}"}
            value = {"clarity": "a", "depth": order[0], "overall": "equal"}.get(dimension)
            made = build.verdict("pairwise", "comparison", dimension, value, **about)
            failed = {"state": "failed", "reason": None, "error": "no answer in 60 seconds"}
            file.append(made.model_copy(update=failed) if value is None else made)
        file.close()
    return home / "exp"


def test_the_page_goes_from_questions_to_method_and_tells_a_judges_choice_with_its_reasons(answered: Path) -> None:
    answers_page = parse(render_page(answered))
    ids = [section.attributes["id"] for section in answers_page.all("section") if "id" in section.attributes]
    assert ids == ["first"]
    ids = [folded.attributes["id"] for folded in answers_page.all("details", "fold")]
    assert ids == ["map", "questions", "scores", "method"]
    questions = [part.attributes["id"] for part in answers_page.all("details", "question")]
    assert questions == ["q1", "q2"]
    assert QUESTION in answers_page.by_id("questions").text
    meeting = next(answers_page.by_id("q1").all("details", "meeting"))
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
    assert read_view(folder).title == "after against before"
    definition = read_definition(folder)
    write_definition(folder, definition.model_copy(update={"title": "Feeders, before and after"}))
    page = parse(render_page(folder))
    assert next(page.all("h1")).text == "Feeders, before and after"
    assert "folder-name" not in next(page.all("title")).text


def test_links_within_a_folder_lead_to_pages_and_places_that_are_there(answered: Path, tmp_path: Path) -> None:
    folder = write_report_page(read_view(answered), tmp_path / "report.html", "split").parent
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
    assert write_report_page(read_view(answered), tmp_path / "report.html") == tmp_path / "report.html"
    (tmp_path / "report").mkdir()
    earlier = (tmp_path / "report.html").read_bytes()
    (tmp_path / "report" / "query-gone.html").write_bytes(earlier)
    (tmp_path / "report" / "query-own.html").write_text("<title>my own</title>", encoding="utf-8")
    monkeypatch.setattr("drretail.viewer.page.document.LARGEST", 20_000)
    assert write_report_page(read_view(answered), tmp_path / "report.html") == tmp_path / "report" / "index.html"
    assert not (tmp_path / "report.html").exists()
    assert not (tmp_path / "report" / "query-gone.html").exists()
    assert (tmp_path / "report" / "query-own.html").exists()
    monkeypatch.setattr("drretail.viewer.page.document.LARGEST_SINGLE", 20_000)
    with pytest.raises(UserError, match="leave --single out"):
        write_report_page(read_view(answered), tmp_path / "report.html", "single")
    assert not (tmp_path / "report.html").exists()
