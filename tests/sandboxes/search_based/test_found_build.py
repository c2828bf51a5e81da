"""A sandbox of found pages, over the wire: a search engine, three hundred pages, and a model that is played."""

import asyncio
import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from drretail.env.web.base import Web
from drretail.env.web.registry import WebOptions, open_web
from drretail.env.web.sealed import SealedWeb, read_labels, read_pages, read_sandbox, task_folder
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.judging.spending import Allowance
from drretail.experiment import read_gold_file
from drretail.files import read_documents, read_json, write_json, write_lines
from drretail.llm.registry import Model
from drretail.records.base import canonical_json, sha256_of
from drretail.records.criteria import Criteria
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.sandboxes.check import check_sandbox
from drretail.sandboxes.search_based.asker import BUILDING, JOURNAL, Asker
from drretail.sandboxes.search_based.build import (
    FOUND_FILE,
    SETTINGS_FILE,
    BuildSettings,
    Built,
    FoundBuilder,
    begun,
    unasked,
)
from drretail.sandboxes.search_based.files import made_files
from drretail.sandboxes.search_based.queries import WrittenQueries, write_queries
from drretail.sandboxes.search_based.review import Review, reviewed
from drretail.sandboxes.sizes import BY_CHARACTERS
from tests.querygen.by_model.scripted import scripted
from tests.sandboxes.search_based.fake_web import EMAIL, FACTS, SIGNALS, FakeWeb
from tests.sandboxes.search_based.played import ANSWERS, PAGES, chat, model
from tests.shop import USER, build

SIZES = {"16k": 16_000, "32k": 32_000, "64k": 64_000}
QUERY = Query(query_id="q1", user_id=USER, text="Which bird feeder is safe, and how do I keep it so?", source="test")
DAY = date(2026, 3, 10)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build(tmp_path_factory.mktemp("found") / "world")) as opened:
        yield opened


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeWeb]:
    with FakeWeb() as server:
        yield server


@pytest.fixture(scope="module")
def finished(world: World, fake: FakeWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole build, which no test changes."""
    folder = tmp_path_factory.mktemp("finished") / "S"
    assert built(world, searxng(fake), folder, QUERY, by=model()).failed == {}
    return folder


def copied(finished: Path, to: Path) -> Path:
    shutil.copytree(finished, to, dirs_exist_ok=True)
    return to


def cut(finished: Path, to: Path, keep: Callable[[dict[str, Any]], bool]) -> Path:
    """The same build, cut when its journal held nothing but these effects."""
    lines = (finished / BUILDING / JOURNAL).read_text().splitlines()
    (to / BUILDING).mkdir(parents=True)
    (to / BUILDING / JOURNAL).write_text("".join(f"{it}\n" for it in lines if keep(json.loads(it))))
    return to


def of_serper(line: str) -> str:
    """The effect of a page as it stands in a journal of Serper's results."""
    effect = json.loads(line)
    request = effect["request"] | {"provider": "serper"}
    digest = sha256_of(f'{{"kind":"{effect["kind"]}","request":{canonical_json(request)}}}')
    key = f"{digest}:{effect['key'].partition(':')[2]}"
    return f"{json.dumps(effect | {'request': request, 'key': key})}\n"


def is_web(effect: dict[str, Any]) -> bool:
    return effect["kind"] != "model"


def searxng(fake: FakeWeb) -> Web:
    return open_web(f"searxng:{fake.url}", WebOptions(proxy=fake.url))


def serper(fake: FakeWeb) -> Web:
    key = SecretStr("k-0123456789abcdef")
    return open_web("serper", WebOptions(serper_key=key, serper_address=f"{fake.url}/search", proxy=fake.url))


def built(
    world: World, web: Web, to: Path, *queries: Query, by: Model, retry_failed: bool = False, tokens: int | None = None
) -> Built:
    with Asker.opened(by, to, parallel=8, retry_failed=retry_failed, allowance=Allowance(tokens=tokens)) as asker:
        files = lambda query: made_files(world, query, "7")  # noqa: E731
        return asyncio.run(FoundBuilder(world, web, asker, to, SIZES, BY_CHARACTERS, files, DAY).build(queries))


def written(world: World, to: Path, by: Model, *, retry_failed: bool = False) -> WrittenQueries:
    with Asker.opened(by, to, parallel=8, retry_failed=retry_failed, allowance=Allowance()) as asker:
        return asyncio.run(write_queries(world, to, asker))


def test_each_page_gets_the_label_of_its_role_and_the_folder_is_served(world: World, finished: Path) -> None:
    task = task_folder(finished, "q1")
    labels = {it.url: it for it in read_labels(task)}
    roles = Counter((PAGES[url].role, it.label, it.kind) for url, it in labels.items())
    assert {it for it in roles if it[1] == "supportive"} == {("supportive", "supportive", "")}
    assert roles["supportive", "supportive", ""] == 4
    assert {it for it in roles if it[1] == "distractor"} <= {
        ("outdated", "distractor", "outdated"),
        ("one_sided", "distractor", "one-sided"),
        ("inaccurate", "distractor", "inaccurate"),
    }
    assert {it[0] for it in roles if it[1] == "noise"} <= {"noise", "beside"}
    assert {it.keyword for it in labels.values()} >= {*SIGNALS}
    assert read_sandbox(finished).names == ["16k", "32k", "64k"]
    assert check_sandbox(finished, world) == {"q1": []}
    web = SealedWeb(finished).at("64k").of(QUERY)
    best = [it.url for it in web.search("163 centimeters no cat reached feeders trial", 3)]
    assert "http://supportive0.example/0" in best
    assert web.fetch("http://supportive0.example/0").state == "ok"


def test_serper_finds_the_same(world: World, fake: FakeWeb, finished: Path, tmp_path: Path) -> None:
    folder = cut(finished, tmp_path, lambda it: it["kind"] == "page_fetch")
    journal = folder / BUILDING / JOURNAL
    journal.write_text("".join(map(of_serper, journal.read_text().splitlines())))
    asked = fake.asked["page"]
    built(world, serper(fake), folder, QUERY, by=model())
    assert fake.asked["page"] == asked
    one, other = (read_json(task_folder(it, "q1") / FOUND_FILE) for it in (finished, folder))
    assert one == other
    labels, same = (read_labels(task_folder(it, "q1")) for it in (finished, folder))
    assert labels == same


def test_what_is_lost_on_the_way_is_counted(finished: Path) -> None:
    found = read_json(task_folder(finished, "q1") / FOUND_FILE)
    assert sum(found["results"].values()) == len(PAGES) == 300
    assert (found["unread"], found["duplicates"]) == ({"error": 8}, 8)
    assert found["personal_data"] == {"an e-mail address": 1}
    again = [it for it in found["left_out"] if it["why"].startswith("redundant")]
    assert Counter(PAGES[it["url"]].role for it in again) == {"again": 12}
    served = "".join(it.text for it in read_pages(task_folder(finished, "q1")))
    assert EMAIL not in served


def test_gold_stands_in_supportive_pages_and_files_and_score_finds_the_criteria(finished: Path) -> None:
    gold = read_gold_file(task_folder(finished, "q1") / "gold.json")
    assert [it.stands_in for it in gold.files.insights] == ["note.md"]
    assert {it.quote for it in gold.sandbox.insights} == {it[1:].strip() for it in FACTS}
    assert len(gold.sandbox.documents) == 4
    criteria = Criteria.model_validate(read_json(finished / "rubrics" / "dr3" / "q1.json"))
    assert {it.name for it in criteria.groups} == {"constraints", "query", "depth"}


def test_a_build_that_is_begun_again_asks_nothing_twice_and_writes_the_same(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    folder, asked, again = copied(finished, tmp_path), Counter(fake.asked), chat()
    built(world, searxng(fake), folder, QUERY, by=scripted(again))
    assert (fake.asked, again.asked) == (asked, [])
    files = [it.relative_to(finished) for it in finished.rglob("*") if it.is_file()]
    assert [(folder / it).read_bytes() for it in files] == [(finished / it).read_bytes() for it in files]


def test_a_build_that_was_cut_goes_on_where_it_stopped(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    folder = cut(finished, tmp_path, lambda it: is_web(it) or "verge" in it["scope"])
    asked = Counter(fake.asked)
    made = built(world, searxng(fake), folder, QUERY, by=model(), tokens=5_000)
    assert made.failed == {"q1": "the cap of 5,000 tokens is reached"}
    assert not (folder / "sandbox.json").exists()
    assert built(world, searxng(fake), folder, QUERY, by=model()).failed == {}
    assert fake.asked == asked
    assert read_labels(task_folder(folder, "q1")) == read_labels(task_folder(finished, "q1"))


def test_a_cap_holds_for_questions_that_wait_in_line(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    asked = chat()
    folder = cut(finished, tmp_path, is_web)
    made = built(world, searxng(fake), folder, QUERY, by=scripted(asked), tokens=1_100)
    assert "the cap of 1,100 tokens is reached" in made.failed["q1"]
    assert len(asked.asked) <= 10 + 8


def test_a_page_that_nobody_could_judge_is_left_out_and_named(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    def sometimes(asked: str) -> dict[str, Any]:
        said = ANSWERS["PageRuling"](asked)
        wrong = {"facts": [{"need": 1, "fact": "So.", "quote": "These words stand nowhere."}]}
        return said | (wrong if "http://outdated0.example/1" in asked else {})

    folder = cut(finished, tmp_path, is_web)
    made = built(world, searxng(fake), folder, QUERY, by=model(PageRuling=sometimes))
    assert made.failed == {}
    (lost,) = [it for it in made.reports["q1"].left_out if "outdated0.example/1" in it.url]
    assert "letter for letter" in lost.why
    assert lost.url not in {it.url for it in read_labels(task_folder(folder, "q1"))}


def test_a_task_whose_pages_are_not_enough_is_named_and_the_others_are_made(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    def settle(asked: str) -> dict[str, Any]:
        return ANSWERS["Settlement"](asked) | {"missing": ["What it weighs."] if "feeder weigh" in asked else []}

    other = QUERY.model_copy(update={"query_id": "q2", "text": "What does a bird feeder weigh?"})
    folder = cut(finished, tmp_path, is_web)
    text = (folder / BUILDING / JOURNAL).read_text()
    with (folder / BUILDING / JOURNAL).open("a") as journal:
        journal.write(text.replace(":q1/", ":q2/").replace('"scope":"q1/', '"scope":"q2/'))
    made = built(world, searxng(fake), folder, other, QUERY, by=model(Settlement=settle))
    assert "the pages are not enough: What it weighs." in made.failed["q2"]
    assert [it.query_id for it in read_documents(folder / "queries.jsonl", Query, "query")] == ["q1"]


def test_a_try_that_fell_short_is_told_to_the_next_one(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    def diverge(asked: str) -> dict[str, Any]:
        more = ["Which weight bends a pole?"] if "What it weighs." in asked else []
        said = ANSWERS["Divergence"](asked)
        return said | {"needs": [*said["needs"], *more]}

    def settle(asked: str) -> dict[str, Any]:
        if "Which weight bends a pole?" not in asked:
            return ANSWERS["Settlement"](asked) | {"missing": ["What it weighs."]}
        return {"needs": [{"need": it, "answer": "So.", "pages": [1]} for it in range(1, 6)], "missing": []}

    by = model(Divergence=diverge, Settlement=settle)
    folder = cut(finished, tmp_path, is_web)
    assert built(world, searxng(fake), folder, QUERY, by=by).failed
    assert built(world, searxng(fake), folder, QUERY, by=by).failed
    made = built(world, searxng(fake), folder, QUERY, by=by, retry_failed=True)
    assert made.failed == {}
    asked = Counter(fake.asked)
    assert built(world, searxng(fake), folder, QUERY, by=by).failed == {}
    assert fake.asked == asked
    assert len(read_json(task_folder(folder, "q1") / "keywords.json")["needs"]) == 5


def test_a_search_that_fails_is_told_and_asked_anew_when_that_is_wanted(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    folder = cut(finished, tmp_path, lambda it: it["kind"] == "page_fetch")
    fake.broken.add(SIGNALS[3])
    made = built(world, searxng(fake), folder, QUERY, by=model())
    assert "What keeps squirrels off?" in made.failed["q1"]
    fake.broken.clear()
    assert built(world, searxng(fake), folder, QUERY, by=model()).failed
    assert built(world, searxng(fake), folder, QUERY, by=model(), retry_failed=True).failed == {}
    assert built(world, searxng(fake), folder, QUERY, by=model()).failed == {}


def test_without_queries_they_are_written_from_what_was_found(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    folder = cut(finished, tmp_path, is_web)
    made = built(world, searxng(fake), folder, unasked("q1", USER, "fake:x"), by=model())
    assert made.failed == {}
    assert any("no gold yet" in it for it in check_sandbox(folder)["q1"])
    said = written(world, folder, model())
    assert (said.written, said.failed) == (("q1",), {})
    (query,) = read_documents(folder / "queries.jsonl", Query, "query")
    assert query.user_id == USER
    assert query.wish is not None
    assert [(want.name, want.quantity) for want in query.wish.wants] == [("birdhouse", 2)]
    assert check_sandbox(folder) == {"q1": []}
    assert (folder / "rubrics" / "dr3" / "q1.json").is_file()
    assert written(world, folder, model()).written == ()
    assert built(world, searxng(fake), folder, unasked("q1", USER, "fake:x"), by=model()).failed == {}
    assert read_documents(folder / "queries.jsonl", Query, "query") == (query,)
    assert check_sandbox(folder) == {"q1": []}


def test_a_query_that_asks_too_much_is_told_so_and_written_anew(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    def settle(asked: str) -> dict[str, Any]:
        return ANSWERS["Settlement"](asked) | {"missing": ["What it weighs."] if "would suit me" in asked else []}

    def query(asked: str) -> dict[str, Any]:
        said = ANSWERS["WrittenQuery"](asked)
        return said | ({"query": said["query"].replace("suit me", "do")} if "What it weighs." in asked else {})

    by = model(Settlement=settle, WrittenQuery=query)
    folder = cut(finished, tmp_path, is_web)
    assert built(world, searxng(fake), folder, unasked("q1", USER, "fake:x"), by=by).failed == {}
    for _ in range(2):
        assert "not enough: What it weighs." in written(world, folder, by).failed["q1"]
    assert written(world, folder, by, retry_failed=True).failed == {}
    (asked,) = read_documents(folder / "queries.jsonl", Query, "query")
    assert "would do" in asked.text


def test_a_command_that_ends_before_the_gold_loses_no_query(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(path: Path, content: Any) -> None:
        if path.name == "queries.jsonl":
            raise KeyboardInterrupt
        write_lines(path, content)

    folder = cut(finished, tmp_path, is_web)
    assert built(world, searxng(fake), folder, unasked("q1", USER, "fake:x"), by=model()).failed == {}
    with monkeypatch.context() as patched:
        patched.setattr("drretail.sandboxes.search_based.queries.write_lines", cut_short)
        with pytest.raises(KeyboardInterrupt):
            written(world, folder, model())
    assert written(world, folder, model()).written == ("q1",)


def test_a_lower_cap_takes_no_task_away(world: World, fake: FakeWeb, finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    before = (folder / "queries.jsonl").read_bytes()
    made = built(world, searxng(fake), folder, QUERY, by=model(), tokens=1_000)
    assert (len(made.tasks), made.failed) == (1, {})
    assert (folder / "queries.jsonl").read_bytes() == before
    assert check_sandbox(folder) == {"q1": []}


def test_a_build_that_would_drop_tasks_is_refused(world: World, finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    settings = BuildSettings(
        day=DAY, world=world.manifest.fingerprint, web="searxng", model="fake:x", results=100, seed="42"
    )
    write_json(folder / BUILDING / SETTINGS_FILE, settings.model_dump(mode="json"))
    assert begun(folder, settings, {"q1", "q2"}) == DAY
    with pytest.raises(UserError, match="would drop: q1"):
        begun(folder, settings, {"q2"})


def test_one_process_at_a_time_asks_for_a_sandbox(finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    opened = lambda: Asker.opened(model(), folder, parallel=2, retry_failed=False, allowance=Allowance())  # noqa: E731
    with opened(), pytest.raises(UserError, match="Another process"), opened():
        pass
    with opened():
        pass


def test_a_model_that_judges_no_page_is_told(world: World, fake: FakeWeb, finished: Path, tmp_path: Path) -> None:
    folder = cut(finished, tmp_path, is_web)
    made = built(world, searxng(fake), folder, QUERY, by=model(PageRuling=lambda _: {}))
    assert "none of 128 pages supports an answer (128 have no usable label, such as label/" in made.failed["q1"]


def test_a_review_that_meets_the_cap_says_so(finished: Path, tmp_path: Path) -> None:
    folder = copied(finished, tmp_path)
    with Asker.opened(model(), folder, parallel=1, retry_failed=False, allowance=Allowance(tokens=1)) as asker:
        asker.allowance.count(Usage(output=1), None)
        said = asyncio.run(reviewed(folder, [QUERY], asker))["q1"]
    assert said == "the cap of 1 tokens is reached"


def test_what_journals_answer_is_told_of_criteria_too(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    folder = copied(finished, tmp_path)
    with Asker.opened(model(), folder, parallel=8, retry_failed=False, allowance=Allowance()) as asker:
        files = lambda query: made_files(world, query, "7")  # noqa: E731
        asyncio.run(FoundBuilder(world, searxng(fake), asker, folder, SIZES, BY_CHARACTERS, files, DAY).build([QUERY]))
    assert asker.served == asker.usage.calls > 100


def test_a_review_tells_which_question_a_task_does_not_pass(finished: Path, tmp_path: Path) -> None:
    def guessed(asked: str) -> dict[str, Any]:
        return ANSWERS["Review"](asked) | {"insight_novelty": {"reason": "Anybody knows it.", "passes": False}}

    folder, by = copied(finished, tmp_path), model(Review=guessed)
    with Asker.opened(by, folder, parallel=2, retry_failed=False, allowance=Allowance()) as asker:
        said = asyncio.run(reviewed(folder, [QUERY], asker))["q1"]
    assert isinstance(said, Review)
    assert said.faults == ["insight novelty: Anybody knows it."]


def test_personal_data_that_is_left_and_a_gold_quote_that_is_gone_are_faults(
    world: World, finished: Path, tmp_path: Path
) -> None:
    folder = copied(finished, tmp_path)
    file = task_folder(folder, "q1") / "pages.jsonl.gz"
    lines = [json.loads(it) for it in gzip.decompress(file.read_bytes()).decode().splitlines()]
    changed = [it | {"text": it["text"].replace("163", "164")} for it in lines]
    name = world.store.user(USER)
    changed[-1]["text"] += f"\n{name.first_name} {name.last_name}"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, changed)).encode()))
    (faults,) = check_sandbox(folder, world).values()
    assert any("tells of a person: a full name" in it for it in faults)
    assert any("stands in 0 places" in it for it in faults)


def test_what_a_page_says_to_the_model_stays_inside_its_tag(
    world: World, fake: FakeWeb, finished: Path, tmp_path: Path
) -> None:
    asked = chat()
    built(world, searxng(fake), cut(finished, tmp_path, is_web), QUERY, by=scripted(asked))
    (shown,) = [it[-1].text for it in asked.asked if "rule this page supportive" in it[-1].text]
    assert shown.count("</page>") == 1


def test_the_day_of_a_sandbox_is_that_of_its_build(world: World, finished: Path) -> None:
    about = read_sandbox(finished)
    assert about.now.date() == max(DAY, world.manifest.now.date())
    assert (about.web, about.made_by) == ("searxng", "fake:x")
