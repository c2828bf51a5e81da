"""The report as a whole."""

import base64
import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drretail.eval.registry import load_metric
from drretail.eval.scores.file import derive_scores
from drretail.experiment import read_evidence, read_runs, run_folder
from drretail.files import read_json, read_jsonl, write_json, write_lines
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.querygen.reading import read_queries
from drretail.records.base import canonical_json, sha256_of
from drretail.records.run import Run, Usage
from drretail.records.score import Score
from drretail.records.wish import Want, Wish
from drretail.viewer.commands import query_files
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import page_of
from drretail.viewer.page.frame import writable
from drretail.viewer.page.question import SHORT, Once
from drretail.viewer.summary import read_listed, summary_of
from tests import build
from tests.build import LABEL, experiment, systems
from tests.viewer.dom import Element, parse
from tests.viewer.experiment import judge_by_hand, rewrite
from tests.viewer.rendered import render_page, render_text
from tests.viewer.scores import of_slice, score

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
    assert "1 without a report" in page.text
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
    folders = sorted((mine / "runs").glob("*/*"))
    (folders[0] / "run.json").unlink()
    (folders[0] / "journal.jsonl").write_text("", encoding="utf-8")
    shutil.rmtree(folders[1])
    page = parse(render_page(mine))
    assert "was interrupted before it ended" in page.by_id("r1").text
    assert "was never made" in page.by_id("r2").text


def test_the_same_folder_gives_the_same_bytes_wherever_it_lies(judged: Path, mine: Path) -> None:
    assert render_page(judged) == render_page(judged) == render_page(mine)


def test_hostile_text_stays_text_and_no_mark_turns_the_words_beside_it(mine: Path) -> None:
    for run in list(read_runs(mine)):
        poison(mine, run)
    shutil.rmtree(mine / "verdicts")
    judge_by_hand(mine)
    page = parse(render_page(mine))
    assert_harmless(page)
    assert page.text.count("alert(1)") > 10
    assert "{{ 7*7 }}" in page.text

    assert writable("a \u202eturned\u202c and \u2067isolated\u2069 \u200f\ud800 word") == "a turned and isolated ? word"


def poison(folder: Path, run: Run, extra: str = "") -> None:
    """Puts hostile text wherever text of others comes in: report, titles, addresses, sources, results, errors."""
    place = run_folder(folder, run.system, run.query_id, run.repeat)
    entries = [
        entry.model_copy(
            update={
                "title": entry.title + HOSTILE,
                "url": 'javascript:alert(1)//"><script>' if entry.kind == "web" else entry.url,
                "texts": tuple(text.model_copy(update={"text": text.text + HOSTILE}) for text in entry.texts),
            }
        )
        for entry in read_evidence(place)
    ]
    write_lines(place / "evidence.jsonl.gz", (entry.as_line() for entry in entries))
    results = [{**line, "text": HOSTILE + line["text"]} for line in read_jsonl(place / "results.jsonl.gz")]
    write_lines(place / "results.jsonl.gz", (canonical_json(line) for line in results))
    steps = tuple(step.model_copy(update={"name": HOSTILE, "args": {HOSTILE: HOSTILE}}) for step in run.steps)
    fields: dict[str, object] = {"steps": steps, "notes": (HOSTILE,)}
    if run.report is not None:
        links = '\n\n[a](javascript:alert(1)) <javascript:alert(1)> [b](http://x.y/"onclick="alert(1)) \udc00'
        report = (run.report + "\n\n" + HOSTILE + links + extra).encode("utf-8", "replace").decode()
        fields |= {"report": report, "report_sha": sha256_of(report)}
    rewrite(folder, run.model_copy(update=fields))


def test_a_run_whose_usage_was_estimated_says_so_below_its_usage(tmp_path: Path) -> None:
    usage = {"researcher": Usage(calls=2, input_uncached=10, output=1, estimated=1)}
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": build.run("q1-r1", "Take it.", usage=usage)}})
    (table,) = parse(render_page(exp)).all("details", "usage")
    assert "1 answer in 2 calls came without a possible count of tokens" in table.text


@pytest.mark.parametrize(
    ("day", "age", "warning"),
    [
        ("2019-01-01", "4.7 years before the shop's date, 2023-09-24", "old page"),
        ("2031-01-01", "after the shop's date, 2023-09-24", "after today"),
    ],
)
def test_a_page_is_shown_with_its_age_and_one_too_old_or_too_young_is_flagged(
    tmp_path: Path, day: str, age: str, warning: str
) -> None:
    url = "https://birds.example/height"
    page = build.evidence(web_evidence_id(url), build.text("Five feet."), url=url, date=day)
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": f"Hang it high [{page.id}]."}}, evidence=[page])
    write_json(exp / "experiment.json", {**read_json(exp / "experiment.json"), "now": "2023-09-24T00:00:00Z"})
    build.scored(exp, "checks")
    assert f"warning: {warning}: [{page.id}]" in render_text(exp)
    shown = parse(render_page(exp))
    (card,) = [card.text for card in shown.all("article", "finding") if "(warning)" in card.text]
    assert warning in card
    assert f"the page is dated {day}" in card
    assert f"The page is dated {day}, {age}." in [element.text for element in shown.all("p")]


def test_the_scoreboard_stands_at_the_top_with_what_its_columns_mean(judged: Path) -> None:
    metrics = [load_metric(name) for name in ("faithfulness", "quality", "checks")]
    view = read_view(judged)
    board = derive_scores(judged, metrics).scoreboard
    view = replace(view, scores=view.scores.model_copy(update={"scoreboard": board}))
    page = parse(page_of(view))
    assert_harmless(page)
    answer, first = list(page.all("section"))[:2]
    assert (answer.attributes["id"], first.attributes["id"]) == ("first", "scoreboard")
    assert "react@offline-shopper: FP 0.58" in answer.text
    heads = [head.text for head in first.all("th") if head.attributes.get("scope") == "col"]
    assert heads[:2] == ["System", "FP"]
    assert "factual recall: share of all claims that cite a source" in [each.text for each in first.all("dd")]
    assert summary_of(view)["scoreboard"]["rows"][0]["cells"]["FP"]["n_planned"] == len(view.runs)


def test_long_texts_stand_once_and_every_link_leads_further_up(mine: Path) -> None:
    once = Once()
    long = "x" * SHORT
    stood, again, other = once(long), once(long), once(f"{long}y")
    assert (stood.first, again.first, other.first) == (True, False, True)
    assert stood.anchor == again.anchor != other.anchor
    assert [once("short") for _ in range(2)] == [once("short")] * 2
    assert once("short").first

    # The first run was made twice, and handed the same long source and the same results.
    run, *_ = read_runs(mine)
    first, second = (run_folder(mine, run.system, run.query_id, repeat) for repeat in (1, 2))
    shutil.copytree(first, second)
    text = (first / "run.json").read_text(encoding="utf-8")
    again = text.replace("/q1-r1", "/q1-r2").replace('"repeat":1', '"repeat":2').replace('"repeat": 1', '"repeat": 2')
    (second / "run.json").write_text(again, encoding="utf-8")
    page = render_page(mine)
    places = {anchor: page.index(f'id="{anchor}"') for anchor in re.findall(r'data-same="(q1t\d+)"', page)}
    assert places
    for anchor, place in places.items():
        assert page.count(f'id="{anchor}"') == 1
        assert place < page.index(f'data-same="{anchor}"')
    assert render_page(mine) == page


LABELS = ("null_copy", "react@m", "oracle", "react+ws@m")
SLICES = {"Baby_Products": 12, "Pet_Supplies": 4}


def section(judged: Path, scores: list[Score], slices: list[Score]) -> Element:
    view = read_view(judged)
    made = view.scores.model_copy(update={"scores": tuple(scores), "slices": tuple(slices)})
    asked = view.definition.model_copy(update={"systems": {**view.definition.systems, **systems(LABELS)}})
    return parse(page_of(replace(view, scores=made, definition=asked))).by_id("scores")


def test_floors_stand_below_a_rule_of_their_own_and_slices_are_folded_with_few_ones_grey(judged: Path) -> None:
    rows = [*map(score, LABELS), score("react@m", policy="planned", value=0.25)]
    slices = [of_slice(name, n, system=label) for label in LABELS for name, n in SLICES.items()]
    scores = section(judged, rows, slices)
    table = next(scores.all("table"))
    bodies = list(table.all("tbody"))
    assert [body.attributes["class"] for body in bodies] == ["system", "floor"]
    heads = [cell.text.strip() for cell in bodies[1].all("th") if cell.attributes.get("scope") == "row"]
    assert heads == ["null_copy", "oracle"]
    assert "The null agents are trivial." in scores.text
    (folded,) = scores.all("details", "slices")
    assert "open" not in folded.attributes
    assert [head.text for head in folded.all("th", "few")] == ["Pet Supplies n=4"]
    assert "Baby Products n=12" in folded.text
    assert "Grey: n is below 10" in folded.text


def test_wide_tables_are_cut_with_groups_kept_together(judged: Path) -> None:
    names = ("FP", "FP_types", "FP_eq2", "FP_pooled", "FP_strict", "FP_web", "FP_product", "FP_internal")
    names = (*names, "FR", "FR_url", "FR_pooled")
    wide = section(judged, [score(label, name, rules="drg") for label in LABELS for name in names], [])
    columns = [[cell.text.strip() for cell in head.all("th")] for head in wide.all("thead")]
    assert columns == [
        ["System", "FP", "FP types", "FP eq2", "FP pooled", "FP strict"],
        ["System", "FP web", "FP product", "FP internal", "FR", "FR url", "FR pooled"],
    ]


def test_damaged_telemetry_costs_its_own_figures_alone(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "It costs $20."}})
    (run_folder(folder, LABEL, "q1", 1) / "telemetry.json").write_text("{")
    assert read_view(folder).runs[0].seconds is None
    assert read_listed(folder).runs == 1
