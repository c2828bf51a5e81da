"""Sandboxes of made-up pages, and their command. Also tests facts.py, needs.py and pages.py."""

from pathlib import Path

import pytest

from drretail.addons.sandboxes.folder import Keywords, read_sizes
from drretail.addons.sandboxes.synthetic.build import build_offline
from drretail.addons.sandboxes.synthetic.needs import need_of
from drretail.env.offers import Offers
from drretail.env.web.sandbox import SandboxWeb, SealedWeb, read_labels, read_pages, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiments.query_files import write_with_gold
from drretail.files import read_document, read_json
from drretail.records.criteria import KnownAnswer
from drretail.records.query import NOT_TYPED, Query
from drretail.reports.text.evidence_ids import web_evidence_id
from tests.addons.sandboxes.conftest import QUERIES, built
from tests.build import files, known
from tests.cli.commands import Command


@pytest.fixture(scope="module")
def offers(world: World) -> Offers:
    return Offers(world)


@pytest.fixture(scope="module")
def sandbox(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, the first of the sizes in which every keyword has to find what is made for it."""
    return built(world, tmp_path_factory.mktemp("made") / "s", "32k,512k")


@pytest.fixture(params=QUERIES, ids=lambda query: query.query_id)
def task(request: pytest.FixtureRequest, sandbox: Path) -> Path:
    return task_folder(sandbox, request.param.query_id)


def test_what_its_pages_establish_belongs_to_each_query_and_no_best_basket_holds_what_they_rule_out(
    small: Path, offers: Offers
) -> None:
    web = SealedWeb(small)
    for query in [query for query in QUERIES if offers.reference(query).best is not None]:
        pages = {web_evidence_id(page.url) for page in read_pages(task_folder(small, query.query_id))}
        (found,) = web.with_gold([query])
        facts = known(found.gold).facts
        assert {fact.source for fact in facts} <= pages
        ruled_out = {fact.product_id for fact in facts if fact.fact in ("recalled", "failed")}
        before, best = known(offers.reference(query).best), known(offers.reference(found).best)
        assert ruled_out & {item.product_id for item in before.items}
        assert not ruled_out & {item.product_id for item in best.items}
        assert known(found.with_facts(()).gold).facts == ()


def test_a_keyword_finds_each_page_that_supports_and_nearly_all_others(task: Path) -> None:
    small = [page.url for page in read_pages(task) if page.since == "32k"]
    assert small == sorted(small), "an order that tells of no label"
    keywords = Keywords.model_validate(read_json(task / "keywords.json")).convergent
    assert len({keyword.text for keyword in keywords}) == 10
    assert {keyword.kind for keyword in keywords} == {"signal", "noise"}
    web = SandboxWeb(read_pages(task))
    found = {keyword.text: {page.url for page in web.search(keyword.text, 100)} for keyword in keywords}
    labels = read_labels(task)
    lost = [label.label for label in labels if label.url not in found[label.keyword]]
    assert "supportive" not in lost
    # A page that shares common words alone with its keyword is below the web's floor.
    assert len(lost) < len(labels) / 10


def test_what_is_planted_stands_once_inside_a_page_and_each_trap_names_what_it_contradicts(task: Path) -> None:
    labels, insights = read_labels(task), read_document(task / "gold.json", KnownAnswer).sandbox.insights
    pages = {page.url: page for page in read_pages(task)}
    noise = [pages[label.url] for label in labels if label.label == "noise" and label.url in pages]
    for insight in insights:
        page = pages[insight.stands_in]
        assert 0 < page.text.index(insight.quote) < len(page.text) - len(insight.quote)
        assert any((other.date or "") >= (page.date or "") for other in noise)
        assert any(len(other.text) >= len(page.text) for other in noise)
    traps = [label for label in labels if label.label == "distractor"]
    assert {label.kind for label in traps} == {"outdated", "one-sided", "inaccurate", "look-alike"}
    assert {label.why.split()[1] for label in traps} == {insight.id for insight in insights}


def test_an_untyped_query_gets_facts_on_what_its_words_find_and_the_build_says_so(world: World, tmp_path: Path) -> None:
    plain = Query(query_id="plain", text="Which litter mat?", source="test")
    messages: list[str] = []
    folder = tmp_path / "s"
    build_offline(world, (plain,), folder, read_sizes("16k,32k"), "7", messages.append)
    assert any(NOT_TYPED in message and "litter mats" in message for message in messages)
    gold = read_document(task_folder(folder, "plain") / "gold.json", KnownAnswer)
    assert any("most popular of litter mats" in insight.text for insight in gold.sandbox.insights)
    assert not any("orders.csv" in path.name for path in (task_folder(folder, "plain") / "files").iterdir())


def test_words_that_no_title_has_name_nothing_and_others_one_kind(world: World, offers: Offers, tmp_path: Path) -> None:
    far = Query(query_id="far", text="I want a nuclear submarine periscope.", source="test")
    with pytest.raises(UserError, match="far: neither"):
        built(world, tmp_path / "s", queries=(*QUERIES, far))
    assert not (tmp_path / "s").exists(), "refused before all"
    near = Query(query_id="near", text="Bamboo?", source="test")
    fits = [fit for thing in need_of(world, offers, near).things for fit in thing.fits]
    assert len({fit.categories[-1] for fit in fits}) == 1
    assert all("bamboo" in fit.title.lower() for fit in fits)


def test_the_command_builds_into_a_new_folder(world: World, tmp_path: Path, drretail: Command) -> None:
    write_with_gold(QUERIES[:1], tmp_path / "q.jsonl")
    asked = ("sandbox", "build", *f"--world {world.folder} --queries q.jsonl --to s --sizes 32k,8k,8k".split())
    made = drretail(*asked)
    assert (made.returncode, made.stdout) == (0, "s: 1 query, in 8k, 32k.\n"), made.stderr
    before = files(tmp_path / "s")
    for options, message in (
        (asked, "s is a finished sandbox: for another, name a new folder."),
        ((*asked, "--web", "ofline"), "no web 'ofline'"),
    ):
        refused = drretail(*options)
        assert refused.returncode == 2
        assert message in " ".join(refused.stderr.split())
    assert files(tmp_path / "s") == before
