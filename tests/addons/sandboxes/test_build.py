import re
import shutil
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

from drretail.addons.sandboxes.check import check_sandbox
from drretail.addons.sandboxes.folder import BY_CHARACTERS, Keywords, read_sizes
from drretail.addons.sandboxes.synthetic.build import build_offline, keywords_of, signal_keywords
from drretail.addons.sandboxes.synthetic.facts import TRAP_KINDS, Allowed, Drawing, PlantedFact, facts_of, user_files
from drretail.addons.sandboxes.synthetic.needs import Need, name_products, need_of
from drretail.env.offers import Offers
from drretail.env.web.sandbox import SandboxWeb, SealedWeb, read_labels, read_pages, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import read_gold_file
from drretail.files import read_json, write_lines
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.records.criteria import Gold, WebAnswer, WebQuestion
from drretail.records.query import NOT_TYPED, Query
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests.addons.sandboxes.conftest import QUERIES, SHIPPED, built
from tests.build import demands, files, known

TODAY = date(2023, 9, 24)


@pytest.fixture(scope="module")
def offers(world: World) -> Offers:
    return Offers(world)


@pytest.fixture(scope="module")
def need(world: World, offers: Offers) -> Need:
    return need_of(world, offers, QUERIES[0])


def facts_on(need: Need) -> list[PlantedFact]:
    return facts_of(need, TODAY, Drawing(Random(1), ""))


def asked(*wants: Want, text: str = "?", **wish: Any) -> Query:
    return Query(query_id="q", text=text, source="test", wish=Wish(wants=wants, **wish))


@pytest.fixture(scope="module")
def sandbox(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, the first of the sizes in which every keyword has to find what is made for it."""
    return built(world, tmp_path_factory.mktemp("made") / "s", "32k,512k")


@pytest.fixture(params=QUERIES, ids=lambda query: query.query_id)
def task(request: pytest.FixtureRequest, sandbox: Path) -> Path:
    return task_folder(sandbox, request.param.query_id)


@pytest.fixture(params=SHIPPED, ids=lambda query: query.query_id)
def shipped(request: pytest.FixtureRequest, world: World, offers: Offers) -> Need:
    """The need of each of ten queries."""
    return need_of(world, offers, request.param)


def test_the_same_seed_gives_the_same_bytes(world: World, small: Path, tmp_path: Path) -> None:
    found = files(small)
    assert len(found) > 10
    assert found == files(built(world, tmp_path / "two"))


def test_it_passes_its_check_until_a_page_that_is_needed_or_all_queries_are_gone(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "s")
    assert check_sandbox(folder) == {query.query_id: [] for query in QUERIES}
    task = task_folder(folder, QUERIES[0].query_id)
    needed = next(label.url for label in read_labels(task) if label.label == "supportive")
    kept = [page.model_dump_json(by_alias=True) for page in read_pages(task) if page.url != needed]
    write_lines(task / "pages.jsonl.gz", kept)
    assert any("0 places" in fault for fault in check_sandbox(folder)[QUERIES[0].query_id])
    (folder / "queries.jsonl").write_text("")
    with pytest.raises(UserError, match=r"queries\.jsonl holds no query"):
        check_sandbox(folder)


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


def test_a_query_that_the_shop_can_meet_can_be_met_without_what_is_ruled_out(shipped: Need) -> None:
    ruled_out = [fact for fact in facts_on(shipped) if fact.establishes in ("recalled", "failed")]
    assert shipped.can_lose([fact.about for fact in ruled_out])


def test_a_keyword_finds_each_page_that_supports_and_nearly_all_others(task: Path) -> None:
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


def test_what_is_planted_stands_once_in_the_middle_of_a_page_like_others_and_each_trap_names_what_it_contradicts(
    task: Path,
) -> None:
    labels, insights = read_labels(task), read_gold_file(task / "gold.json").sandbox.insights
    pages = {page.url: page for page in read_pages(task)}
    noise = [pages[label.url] for label in labels if label.label == "noise" and label.url in pages]
    for insight in insights:
        assert sum(insight.quote in page.text for page in pages.values()) == 1
        page = pages[insight.stands_in]
        assert 0 < page.text.index(insight.quote) < len(page.text) - len(insight.quote)
        assert any((other.date or "") >= (page.date or "") for other in noise)
        assert any(len(other.text) >= len(page.text) for other in noise)
    traps = [label for label in labels if label.label == "distractor"]
    assert {label.kind for label in traps} == set(TRAP_KINDS)
    assert {label.why.split()[1] for label in traps} == {insight.id for insight in insights}


def test_pages_differ_and_are_neither_scraps_nor_books(task: Path) -> None:
    texts = [page.text for page in read_pages(task)]
    pairs = combinations(enumerate(map(_shingles, texts)), 2)
    # More than half of what either of two pages says stands in both.
    repeats = ((a, b) for (a, one), (b, two) in pairs if 3 * len(one & two) > len(one) + len(two))
    alike = {number for pair in repeats for number in pair}
    assert len(alike) <= 0.02 * len(texts)
    assert 300 <= min(map(len, texts)) <= max(map(len, texts)) <= 12_500


def _shingles(text: str) -> set[int]:
    """About an eighth of a page's shingles, which tells pages apart as well as all of them."""
    words = text.casefold().split()
    return {key for at in range(len(words) - 4) if not (key := zlib.crc32(" ".join(words[at : at + 5]).encode())) % 8}


def test_facts_are_of_the_fits_and_the_one_that_would_be_taken_is_under_recall(offers: Offers, need: Need) -> None:
    reference = offers.reference(QUERIES[0])
    assert reference.best is not None
    facts = facts_on(need)
    priced = [fact for fact in facts if "price" in fact.kind]
    assert priced
    assert all(f"${fact.about.product.price:,.2f}" in fact.text for fact in priced)
    fits = {fit.product_id for thing in reference.things for fit in thing.fits}
    assert {fact.about.product.product_id for fact in facts} <= fits
    recalled = {fact.about.product.product_id for fact in facts if fact.kind == "recall"}
    assert recalled == {item.product_id for item in reference.best.items}
    assert all("must not be recommended" in fact.meaning for fact in facts if fact.kind == "recall")
    cotton = [fact for fact in facts if fact.kind == "test" and fact.thing == "swaddle blanket"]
    assert len(cotton) == 2
    assert all('"cotton"' in fact.meaning for fact in cotton)


def test_traps_are_of_every_kind_and_begin_their_sentences_with_capitals(need: Need) -> None:
    traps = [fact.trap(number, Random(number), "s1") for fact in facts_on(need) for number in range(12)]
    assert {trap.kind for trap in traps} == set(TRAP_KINDS)
    assert not any(re.search(r"[.!?] [a-z]", trap.text) or "<" in trap.text for trap in traps)


def test_what_stays_is_within_the_budget_also_with_the_rest(shipped: Need) -> None:
    need, facts, names = shipped, facts_on(shipped), shown_names(shipped)
    out = {fact.about.name for fact in facts if fact.kind == "recall" or "failed it" in fact.meaning}
    things = {thing.name: thing for thing in need.things}
    for fact in facts:
        if "the one to take" in fact.meaning or "can be recommended" in fact.meaning:
            want = things[fact.thing].want
            limit = known(want.price_max if want and want.price_max else need.budget)
            assert fact.about.name not in out
            assert (fact.about.product.price or 0) <= float(limit.value)
        if "over the budget" in fact.meaning:
            assert f"the {fact.about.name}" not in fact.meaning.split("over the budget")[1]
    left = ([fit.price or 0.0 for fit in thing.fits if names[fit.product_id] not in out] for thing in need.things)
    assert need.budget is None or sum(min(prices, default=0.0) for prices in left) <= float(need.budget.value)


def shown_names(need: Need) -> dict[str, str]:
    fits = [fit for thing in need.things for fit in thing.fits]
    return {key: product.name for key, product in name_products(fits).items()}


def with_fits(need: Need, fits: Callable[[tuple[Product, ...]], Iterable[Product]]) -> Need:
    return replace(need, things=tuple(replace(thing, fits=tuple(fits(thing.fits))) for thing in need.things))


def test_a_product_without_a_price_gets_no_fact_and_no_page_on_its_price(need: Need) -> None:
    facts = facts_on(with_fits(need, lambda fits: (fit.model_copy(update={"price": None}) for fit in fits)))
    assert facts
    assert not any("price" in fact.kind or "$" in fact.text for fact in facts)


def test_where_nothing_that_fits_is_within_the_budget_facts_say_so(need: Need) -> None:
    priced = with_fits(need, lambda fits: (fit for fit in fits if fit.price is not None))
    facts = facts_on(replace(priced, budget=Money(amount="2", currency="USD")))
    over = [fact.meaning for fact in facts if "over the budget" in fact.meaning]
    assert over
    assert not any("stay" in meaning for meaning in over)


def test_a_receipt_is_of_the_day_of_the_order_and_its_guarantee_still_holds(world: World, shipped: Need) -> None:
    pytest.importorskip("PIL")
    files = user_files(shipped, world.store, TODAY, Drawing(Random(1), ""))
    meaning = next(file.meaning for file in files if file.name == "receipt.png")
    bought, until = re.findall(r"\d{4}-\d\d-\d\d", meaning)[:2]
    orders = world.store.orders(known(shipped.query.user_id)).orders
    assert bought in {order.order_date[:10] for order in orders if order.product_id == shipped.owned[0].product_id}
    assert until > TODAY.isoformat()


def test_products_that_fit_differ_in_their_names_and_from_what_the_user_has(shipped: Need) -> None:
    fits, mine, names = shown_names(shipped), shipped.owned[0].product_id, shipped.names
    assert len({*fits.values()}) == len(fits)
    assert names[mine].name not in [product.name for key, product in names.items() if key in fits and key != mine]


def test_keywords_say_several_of_what_is_several_already(world: World, offers: Offers) -> None:
    need = need_of(world, offers, QUERIES[1])
    assert need.things[0].name == "pruning shears"
    assert "shearss" not in keywords_of(signal_keywords(need), ()).model_dump_json()


def test_an_untyped_query_gets_facts_on_what_its_words_find_and_the_build_says_so(world: World, tmp_path: Path) -> None:
    plain = Query(query_id="plain", text="Which litter mat?", source="test")
    messages: list[str] = []
    folder = tmp_path / "s"
    build_offline(world, (plain,), folder, read_sizes("16k,32k"), "7", BY_CHARACTERS, messages.append)
    assert any(NOT_TYPED in message and "litter mats" in message for message in messages)
    gold = read_gold_file(task_folder(folder, "plain") / "gold.json")
    assert any("most popular of litter mats" in insight.text for insight in gold.sandbox.insights)
    assert not any("orders.csv" in path.name for path in (task_folder(folder, "plain") / "files").iterdir())


@pytest.mark.parametrize("wants", [(), (Want(name="bowl", kinds=("bowl",), brands_wanted=("Nobody & Sons",)),)])
def test_where_nothing_would_do_words_find_no_fit(world: World, offers: Offers, wants: tuple[Want, ...]) -> None:
    need = need_of(world, offers, asked(*wants, text="Bowl?"))
    assert need.without_fits not in (None, NOT_TYPED)
    assert [thing.want for thing in need.things] == [None]


def test_things_of_a_query_are_its_wants_and_no_other_kind_of_their_shelf(world: World, offers: Offers) -> None:
    brushes = Want(name="place for brushes", kinds=("desk organizer",), ratings_min=200)
    blanket = Want(name="swaddle blanket", kinds=("swaddle blanket",), must=demands("woven by hand", "cotton"))
    place, swaddle = need_of(world, offers, asked(brushes, blanket)).things
    assert place.name == "place for brushes"
    assert place.fits
    assert all("organizer" in fit.title.lower() and (fit.rating_number or 0) >= 200 for fit in place.fits)
    assert swaddle.must == "cotton", "a demand that no record bears out is not said to be kept"


def test_what_may_be_left_out_takes_nothing_from_the_budget_of_the_rest(world: World, offers: Offers) -> None:
    def left(*, optional: bool) -> set[str]:
        maker = Want(name="label maker", kinds=("label maker",), quantity=5, optional=optional)
        wanted = asked(Want(name="diaper bag", kinds=("diaper bag",)), maker, budget=Money.of(60))
        need = need_of(world, offers, wanted)
        allowed, bag = Allowed(need), need.things[0]
        return {fit.product_id for fit in bag.fits if allowed.allows(bag, need.names[fit.product_id])}

    assert left(optional=False) < left(optional=True)


def test_the_most_that_a_piece_may_cost_stands_in_the_facts_on_its_price(world: World, offers: Offers) -> None:
    bags = Want(name="diaper bag", kinds=("diaper bag",), quantity=3, price_max=Money.of(60))
    need = need_of(world, offers, asked(bags, text="Three diaper bags?"))
    assert all(fit.price is None or fit.price <= 60 for fit in need.things[0].fits)
    assert any("at most $60.00 is to be paid for one" in fact.meaning for fact in facts_on(need))


def test_words_that_no_title_has_name_nothing_and_others_one_kind_of_thing(
    world: World, offers: Offers, tmp_path: Path
) -> None:
    far = Query(query_id="far", text="I want a nuclear submarine periscope.", source="test")
    with pytest.raises(UserError, match="far: neither"):
        built(world, tmp_path / "s", queries=(*QUERIES, far))
    assert not (tmp_path / "s").exists(), "refused before all"
    near = Query(query_id="near", text="Bamboo?", source="test")
    fits = [fit for thing in need_of(world, offers, near).things for fit in thing.fits]
    assert len({fit.categories[-1] for fit in fits}) == 1
    assert all("bamboo" in fit.title.lower() for fit in fits)


def test_a_cut_build_leaves_nothing_behind(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.addons.sandboxes.synthetic.build.write_sandbox", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        built(world, tmp_path / "s", "16k", QUERIES[:1])
    assert list(tmp_path.iterdir()) == []


def test_the_user_has_orders_a_note_and_a_manual_that_hold_what_gold_says_of_them(sandbox: Path) -> None:
    task = task_folder(sandbox, QUERIES[0].query_id)
    gold = read_gold_file(task / "gold.json")
    assert {"orders.csv", "note.md", "manual.txt"} <= {path.name for path in (task / "files").iterdir()}
    assert {document.title for document in gold.files.documents} == {"orders.csv", "note.md", "manual.txt"}
    for insight in gold.files.insights:
        if not insight.stands_in.endswith(".png"):
            assert insight.quote in (task / "files" / insight.stands_in).read_text(encoding="utf-8")


def test_the_build_says_what_it_lacks_a_receipt_without_pillow_and_pages_that_answer_the_web_question(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    answer = WebAnswer(url="https://a.example", quote="A backpack, for both shoulders.", keys=("backpack",))
    gold = Gold(query_id="dev-01", web_question=WebQuestion(text="Backpack or tote?", answers=(answer,)))
    asked = QUERIES[0].model_copy(update={"gold": gold})
    events: list[str] = []
    build_offline(world, [asked], tmp_path / "s", read_sizes("16k"), "7", BY_CHARACTERS, events.append)
    without, unanswered = events
    assert "drretail[sandbox]" in without
    assert unanswered == "dev-01: no page answers what it asks of the web: Backpack or tote?"
    task = task_folder(tmp_path / "s", QUERIES[0].query_id)
    assert not (task / "files" / "receipt.png").exists()
    assert len(read_gold_file(task / "gold.json").files.insights) == 2
