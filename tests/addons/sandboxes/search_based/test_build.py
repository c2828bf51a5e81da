"""Sandboxes of found pages. Also tests asker.py, gold.py, pages.py and addons/sandboxes/commands.py."""

import asyncio
import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from drretail.addons.sandboxes.check import sandbox_faults
from drretail.addons.sandboxes.commands import files_by
from drretail.addons.sandboxes.search_based.asker import BUILDING, JOURNAL, Asker, open_asker
from drretail.addons.sandboxes.search_based.build import (
    FOUND_FILE,
    SETTINGS_FILE,
    BuildSettings,
    BuiltSandbox,
    FoundBuilder,
    begin_build,
)
from drretail.addons.sandboxes.search_based.gold import gold_of, smallest_cover
from drretail.cli.app import app
from drretail.env.offers import Offers
from drretail.env.web.base import WebOptions, open_web
from drretail.env.web.sandbox import SandboxPage, SealedWeb, read_labels, read_pages, read_sandbox, task_folder
from drretail.env.world import World, world_at
from drretail.errors import UserError
from drretail.eval.judging.spending import Allowance
from drretail.files import read_document, read_json, write_json
from drretail.llm.registry import Model
from drretail.records.criteria import Criteria, Fact, KnownAnswer
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import web_evidence_id
from tests.addons.sandboxes.search_based.played import ANSWERS, EMAIL, FACTS, PAGES, SIGNALS, FakeWeb, chat, model
from tests.querygen.by_model.scripted import scripted
from tests.shop import USER, build_shop

SIZES = {"8k": 8_000, "16k": 16_000, "32k": 32_000}
QUERY = Query(query_id="q1", user_id=USER, text="Which bird feeder is safe, and how do I keep it so?", source="test")
DAY = date(2026, 3, 10)
PLAYED = "tests.addons.sandboxes.search_based.played:opened"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_at(build_shop(tmp_path_factory.mktemp("found") / "world")) as opened:
        yield opened


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeWeb]:
    with FakeWeb() as server:
        yield server


@pytest.fixture(scope="module")
def finished(world: World, fake: FakeWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole build, which no test changes."""
    folder = tmp_path_factory.mktemp("finished") / "S"
    assert Site(world, fake, folder, folder).build(QUERY).failed == {}
    return folder


def is_web(effect: dict[str, Any]) -> bool:
    return effect["kind"] != "model"


@dataclass(frozen=True)
class Site:
    """A folder in which one test builds, with what it builds from."""

    world: World
    fake: FakeWeb
    finished: Path
    folder: Path

    def copy(self) -> Path:
        """The whole build."""
        return Path(shutil.copytree(self.finished, self.folder, dirs_exist_ok=True))

    def cut(self, keep: Callable[[dict[str, Any]], bool] = is_web) -> Path:
        """The same build, cut when its journal held nothing but these effects."""
        lines = (self.finished / BUILDING / JOURNAL).read_text().splitlines()
        (self.folder / BUILDING).mkdir(parents=True)
        held = [line for line in lines if "part" in (one := json.loads(line)) or keep(one)]
        (self.folder / BUILDING / JOURNAL).write_text("".join(f"{line}\n" for line in held))
        return self.folder

    def asker(
        self, by: Model | None = None, *, retry_failed: bool = False, tokens: int | None = None
    ) -> AbstractContextManager[Asker]:
        allowance = Allowance(tokens=tokens)
        return open_asker(by or model(), self.folder, parallel=8, retry_failed=retry_failed, allowance=allowance)

    @property
    def settings(self) -> BuildSettings:
        fingerprint = self.world.manifest.fingerprint
        return BuildSettings(day=DAY, world=fingerprint, web="searxng", model="fake:x", seed="42")

    def build(self, *queries: Query, by: Model | None = None, **options: Any) -> BuiltSandbox:
        web = open_web(f"searxng:{self.fake.url}", WebOptions(proxy=self.fake.url))
        made_up = files_by(self.world, None, "7")
        with self.asker(by, **options) as asker:
            builder = FoundBuilder(self.world, web, asker, self.folder, SIZES, made_up, self.settings)
            return asyncio.run(builder.build(queries))


@pytest.fixture
def site(world: World, fake: FakeWeb, finished: Path, tmp_path: Path) -> Site:
    return Site(world, fake, finished, tmp_path)


def test_each_page_gets_the_label_of_its_role_and_what_is_lost_is_counted(finished: Path) -> None:
    task = task_folder(finished, "q1")
    labels = {label.url: label for label in read_labels(task)}
    roles = Counter((PAGES[url].role, label.label, label.kind) for url, label in labels.items())
    assert [role for role in roles if role[1] == "supportive"] == [("supportive", "supportive", "")]
    assert roles["supportive", "supportive", ""] == 4
    assert {role for role in roles if role[1] == "distractor"} <= {
        ("outdated", "distractor", "outdated"),
        ("one_sided", "distractor", "one-sided"),
        ("inaccurate", "distractor", "inaccurate"),
    }
    assert {role[0] for role in roles if role[1] == "noise"} <= {"noise", "beside"}
    assert {label.keyword for label in labels.values()} >= {*SIGNALS}
    found = read_json(task / FOUND_FILE)
    assert sum(found["results"].values()) == len(PAGES) == 76
    assert (found["unread"], found["duplicates"]) == ({"not_found": 4}, 4)
    assert found["personal_data"] == {"an e-mail address": 1}
    again = [page for page in found["left_out"] if page["why"].startswith("redundant")]
    assert Counter(PAGES[page["url"]].role for page in again) == {"again": 8}
    assert EMAIL not in "".join(page.text for page in read_pages(task))


def test_the_folder_is_whole_and_served_with_gold_of_supportive_pages_and_files_and_criteria(site: Site) -> None:
    about = read_sandbox(site.finished)
    assert (about.names, about.web, about.made_by) == (["8k", "16k", "32k"], "searxng", "fake:x")
    assert about.now.date() == max(DAY, site.world.manifest.now.date())
    assert sandbox_faults(site.finished, site.world) == {"q1": []}
    web = SealedWeb(site.finished).at("32k").of(QUERY)
    best = [result.url for result in web.search("163 centimeters no cat reached feeders trial", 3)]
    assert "http://supportive0.example/0" in best
    assert web.fetch("http://supportive0.example/0").state == "ok"
    gold = read_document(task_folder(site.finished, "q1") / "gold.json", KnownAnswer)
    assert [insight.stands_in for insight in gold.files.insights] == ["note.md"]
    assert {insight.quote for insight in gold.sandbox.insights} == {insight[1:].strip() for insight in FACTS}
    assert len(gold.sandbox.documents) == 4
    criteria = Criteria.model_validate(read_json(site.finished / "rubrics" / "dr3" / "q1.json"))
    assert {group.name for group in criteria.groups} == {"constraints", "query", "depth"}


def test_what_a_page_establishes_about_a_product_is_a_fact_and_no_basket_holds_it(site: Site) -> None:
    feeder = Want(name="feeder", kinds=("bird feeder",))
    query = Query(query_id="q2", text="A bird feeder?", wish=Wish(wants=(feeder,)), source="test")
    said = "Tanagrove has called back its Tube Bird Feeder of 18 inches."
    recall, silent = (
        SandboxPage(url=f"https://{name}.example", title=name, text=text)
        for name, text in {"recall": said, "height": "Hang it at 163 centimeters."}.items()
    )
    insights = [{"insight": "So.", "source": str(n), "quote": page.text} for n, page in enumerate((recall, silent), 1)]
    fact = {"product_id": "B0TEST0001", "fact": "recalled", "source": "1", "quote": said}
    wrong = [{"product_id": "B0OTHER"}, {"quote": "It was recalled."}, {"source": "2", "quote": silent.text}]
    answers = iter([*wrong[:2], {}, wrong[2], {}])
    asked: list[str] = []

    def gold(message: str) -> dict[str, Any]:
        asked.append(message)
        return {"insights": insights, "facts": [fact | next(answers)]}

    with site.asker(model(WrittenGold=gold)) as asker:
        for one in (query, query.model_copy(update={"query_id": "q3"})):
            _, facts = asyncio.run(gold_of(asker, one, [recall, silent], {}, site.world))
            assert facts == (Fact(product_id="B0TEST0001", fact="recalled", source=web_evidence_id(recall.url)),)
    assert len(asked) == 5, "each wrong fact went back"
    assert "B0TEST0001: Tanagrove Tube Bird Feeder, 18 inch" in asked[0]
    best = Offers(site.world).reference(query.with_facts(facts)).best
    assert best is not None
    assert best.items[0].product_id == "B0TEST0002"


def test_a_build_that_was_cut_goes_on_where_it_stopped(site: Site) -> None:
    folder = site.cut(lambda effect: is_web(effect) or "verge" in effect["scope"])
    asked = Counter(site.fake.asked)
    capped = chat()
    made = site.build(QUERY, by=scripted(capped), tokens=1_100)
    assert made.failed == {"q1": "the cap of 1,100 tokens is reached"}
    assert len(capped.asked) <= 10 + 8, "questions that wait in line are not asked"
    assert not (folder / "sandbox.json").exists()
    assert site.build(QUERY).failed == {}
    assert site.fake.asked == asked
    assert read_labels(task_folder(folder, "q1")) == read_labels(task_folder(site.finished, "q1"))


def test_a_search_that_fails_is_told_and_asked_anew_when_that_is_wanted(site: Site) -> None:
    site.cut(lambda effect: effect["kind"] == "page_fetch")
    site.fake.broken.add(SIGNALS[3])
    made = site.build(QUERY)
    assert "What keeps squirrels off?" in made.failed["q1"]
    site.fake.broken.clear()
    assert site.build(QUERY).failed
    assert site.build(QUERY, retry_failed=True).failed == {}
    assert site.build(QUERY).failed == {}


def test_a_build_that_would_drop_tasks_is_refused(site: Site) -> None:
    folder, settings = site.copy(), site.settings
    write_json(folder / BUILDING / SETTINGS_FILE, settings.model_dump(mode="json"))
    later = settings.model_copy(update={"day": date(2026, 3, 11)})
    assert begin_build(folder, later, {"q1", "q2"}) == settings
    with pytest.raises(UserError, match="would drop: q1"):
        begin_build(folder, settings, {"q2"})


def test_a_page_that_nobody_could_judge_is_left_out_and_named(site: Site) -> None:
    def sometimes(asked: str) -> dict[str, Any]:
        result = ANSWERS["PageRuling"](asked)
        wrong = {"facts": [{"need": 1, "fact": "So.", "quote": "These words stand nowhere."}]}
        return result | (wrong if "http://outdated0.example/1" in asked else {})

    folder = site.cut()
    none = site.build(QUERY, by=model(PageRuling=lambda _: {}))
    assert "none of 44 pages supports an answer (44 have no usable label, such as label/" in none.failed["q1"]
    made = site.build(QUERY, by=model(PageRuling=sometimes), retry_failed=True)
    assert made.failed == {}
    (lost,) = [page for page in made.reports["q1"].left_out if "outdated0.example/1" in page.url]
    assert "letter for letter" in lost.why
    assert lost.url not in {label.url for label in read_labels(task_folder(folder, "q1"))}


def test_personal_data_that_is_left_and_a_gold_quote_that_is_gone_are_faults(site: Site) -> None:
    folder = site.copy()
    file = task_folder(folder, "q1") / "pages.jsonl.gz"
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    changed = [line | {"text": line["text"].replace("163", "164")} for line in lines]
    name = site.world.store.user(USER)
    changed[-1]["text"] += f"\n{name.first_name} {name.last_name}"
    with (task_folder(folder, "q1") / "files" / "note.md").open("a") as note:
        note.write(f"\n{name.first_name} {name.last_name}\n")
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, changed)).encode()))
    (faults,) = sandbox_faults(folder, site.world).values()
    assert any(".example/" in fault and "tells of a person: a full name" in fault for fault in faults)
    assert "note.md tells of a person: a full name." in faults
    assert any("stands in 0 places" in fault for fault in faults)


def sandbox(fake: FakeWeb, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["sandbox", *arguments], env={"DRRETAIL_WEB_PROXY": fake.url})


def test_a_sandbox_is_built_and_checked(world: World, fake: FakeWeb, tmp_path: Path) -> None:
    to, web, shop = str(tmp_path / "S"), f"searxng:{fake.url}", str(world.folder)
    queries = tmp_path / "q.jsonl"
    queries.write_text(f"{QUERY.as_line()}\n")
    flags = ("--world", shop, "--to", to, "--web", web, "--queries", str(queries), "--model", PLAYED)
    flags += ("--sizes", "16k,32k,512k")
    made = sandbox(fake, "build", *flags, "--quiet")
    assert made.exit_code == 0, made.output
    assert "4 supportive, " in made.stdout
    assert "512k is left out: the pages of" in made.stdout
    assert "1 of 1 task." in made.stdout
    after = sandbox(fake, "check", to, "--world", shop, "--quiet")
    assert sandbox(fake, "check", to).exit_code == 0
    assert (after.exit_code, "1 of 1 queries pass" in after.stdout) == (0, True)
    again = sandbox(fake, "build", *flags, "--quiet")
    calls = re.findall(r"(\d+) calls, (\d+) of them from the journal", again.stdout)
    assert len(calls) == 1
    assert calls[0][0] == calls[0][1]
    refused = sandbox(fake, "build", *flags, "--seed", "7")
    assert isinstance(refused.exception, UserError)
    assert "was begun with seed 42" in str(refused.exception)


def test_a_model_and_a_search_engine_go_together(world: World, fake: FakeWeb, tmp_path: Path) -> None:
    build = ("build", "--world", str(world.folder), "--to", str(tmp_path / "S"), "--queries", "q.jsonl")
    alone = sandbox(fake, *build, "--web", f"searxng:{fake.url}")
    assert "add --model" in str(alone.exception)
    without = sandbox(fake, *build, "--model", PLAYED, "--files", "f")
    assert str(without.exception).startswith("--model, --files: only where a search engine finds pages")
    assert not (tmp_path / "S").exists()


def test_own_files_stand_in_for_made_up_ones(world: World, tmp_path: Path) -> None:
    (tmp_path / "own" / USER).mkdir(parents=True)
    (tmp_path / "own" / USER / "list.txt").write_text("It must not be red.")
    (tmp_path / "own" / USER / ".DS_Store").write_bytes(b"\0")
    files_of = files_by(world, tmp_path / "own", "1")
    assert files_of(QUERY) == {"list.txt": b"It must not be red."}
    others = files_of(QUERY.model_copy(update={"user_id": None}))
    assert {*others} >= {"note.md", "manual.txt"}


@given(
    st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 9)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_no_fact_is_lost_and_every_page_that_is_kept_has_one_of_its_own(has: dict[int, set[int]], rng: Random) -> None:
    kept = smallest_cover(has, {page: rng.randint(1, 9) for page in has})
    assert set().union(*(has[page] for page in kept)) == set().union(*has.values())
    for page in kept:
        assert has[page] - set().union(*(has[other] for other in kept if other != page))
