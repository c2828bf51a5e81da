"""How sandboxes are built, how large they are, and what is noticed where somebody changed one."""

import shutil
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.addons.sandboxes.check import changed_sandbox_files, sandbox_faults
from drretail.addons.sandboxes.folder import (
    Keywords,
    LabelledPage,
    PlacedPages,
    TaskMaterial,
    place_pages,
    read_sizes,
)
from drretail.addons.sandboxes.search_based.gold import smallest_cover
from drretail.addons.sandboxes.search_based.pages import SeenTexts
from drretail.addons.sandboxes.synthetic.build import build_offline
from drretail.addons.sandboxes.synthetic.needs import need_of
from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.env.web.sandbox import (
    SANDBOX_FILE,
    Label,
    SandboxPage,
    SandboxWeb,
    SealedWeb,
    read_labels,
    read_pages,
    read_sandbox,
    task_folder,
)
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import read_document, read_json, write_json, write_lines
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.querygen.reading import shipped_queries
from drretail.records.criteria import KnownAnswer
from drretail.records.query import NOT_TYPED, Query
from tests.build import files, known
from tests.cli.commands import Command

QUERIES = shipped_queries("dev")[:2]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with open_world("demo") as opened:
        yield opened


def built(world: World, to: Path, sizes: str = "16k,32k", queries: tuple[Query, ...] = QUERIES) -> Path:
    build_offline(world, queries, to, read_sizes(sizes), "7")
    return to


@pytest.fixture(scope="module")
def small(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox of two tasks, which no test changes."""
    return built(world, tmp_path_factory.mktemp("small") / "s")


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


def test_the_same_seed_gives_the_same_bytes(world: World, small: Path, tmp_path: Path) -> None:
    found = files(small)
    assert len(found) > 10
    assert found == files(built(world, tmp_path / "two"))


def test_it_passes_its_check_until_a_page_that_is_needed_or_all_queries_are_gone(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "s")
    assert sandbox_faults(folder) == {query.query_id: [] for query in QUERIES}
    task = task_folder(folder, QUERIES[0].query_id)
    needed = next(label.url for label in read_labels(task) if label.label == "supportive")
    kept = [page.model_dump_json(by_alias=True) for page in read_pages(task) if page.url != needed]
    write_lines(task / "pages.jsonl.gz", kept)
    assert any("0 places" in fault for fault in sandbox_faults(folder)[QUERIES[0].query_id])
    (folder / "queries.jsonl").write_text("")
    with pytest.raises(UserError, match=r"queries\.jsonl holds no query"):
        sandbox_faults(folder)


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


SIZES = read_sizes("8k,16k,32k")


def page(name: str, tokens: int, label: Label = "noise") -> LabelledPage:
    address = f"https://x.example/{name}"
    return LabelledPage(SandboxPage(url=address, title="", text="abc " * tokens), label)


def material(
    supportive: list[int], distractors: list[int], noise: Iterator[LabelledPage] | list[LabelledPage]
) -> TaskMaterial:
    return TaskMaterial(
        query=Query(query_id="q-1", text="A kettle?", source="test"),
        keywords=Keywords(convergent=()),
        supportive=tuple(page(f"s{at}", length, "supportive") for at, length in enumerate(supportive)),
        distractors=tuple(page(f"d{at}", length, "distractor") for at, length in enumerate(distractors)),
        noise=noise,
        files={"note.md": b"a note\n"},
        gold=KnownAnswer(query_id="q-1"),
    )


def noise(*lengths: int) -> Iterator[LabelledPage]:
    return (page(f"n{number}", lengths[number % len(lengths)]) for number in count())


def tokens(found: PlacedPages, size: str, label: str | None = None) -> float:
    served = found.sizes[: found.sizes.index(size) + 1]
    pages = [page for since, page in found.pages if since in served and label in (None, page.label)]
    return sum(len(page.page.text) / 4 for page in pages)


def test_sizes_are_sorted_each_is_there_once_and_what_is_none_is_refused() -> None:
    assert list(read_sizes("64k, 32k,064k").items()) == [("32k", 32000), ("64k", 64000)]
    for wrong in ("0k", "-32k", "32", "32k,", "½k", "", "9999999k"):
        with pytest.raises(UserError, match="--sizes"):
            pytest.fail(f"{wrong}: {read_sizes(wrong)}")


@given(
    st.lists(st.integers(50, 900), max_size=6),
    st.lists(st.integers(20, 700), min_size=1, max_size=60),
    st.lists(st.integers(20, 2500), min_size=3, max_size=9),
)
@settings(max_examples=40, deadline=None)
def test_a_size_has_its_tokens_all_that_supports_and_no_fewer_distractors(
    supportive: list[int], distractors: list[int], lengths: list[int]
) -> None:
    again = [page("s0", 100)]  # an address that comes twice stands once, and as what it came first
    pages = material(supportive, distractors, chain(again[: len(supportive)], noise(20, 40, *lengths)))
    found = place_pages(pages, SIZES)
    assert list(found.sizes) == list(SIZES)
    misled = [tokens(found, size, "distractor") for size in SIZES]
    for size, wanted in SIZES.items():
        assert abs(tokens(found, size) - wanted) <= 0.02 * wanted
        assert tokens(found, size, "supportive") == sum(supportive)
    assert misled[0] > 0
    shares = [misleading / wanted for misleading, wanted in zip(misled, SIZES.values(), strict=True)]
    only_the_shortest = misled[0] == min(distractors)
    assert only_the_shortest or shares == sorted(shares)
    assert len({page.page.url for _, page in found.pages}) == len(found.pages)


def test_too_few_pages_for_any_size_and_too_many_that_are_needed_are_refused_with_the_query() -> None:
    with pytest.raises(UserError, match=r"q-1.*700 tokens, too few for 8k"):
        place_pages(material([300], [200], [page("n", 200)]), SIZES)
    with pytest.raises(UserError, match=r"q-1.*9,200 tokens, more than 8k"):
        place_pages(material([9000], [200], noise(100)), SIZES)


@given(
    st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 9)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_no_fact_is_lost_and_every_page_that_is_kept_has_one_of_its_own(has: dict[int, set[int]], rng: Random) -> None:
    kept = smallest_cover(has, {page: rng.randint(1, 9) for page in has})
    assert set().union(*(has[page] for page in kept)) == set().union(*has.values())
    for page in kept:
        assert has[page] - set().union(*(has[other] for other in kept if other != page))


def words(rng: Random, count: int) -> str:
    return " ".join(f"w{rng.randint(0, 4000)}" for _ in range(count))


def test_a_syndicated_text_in_another_frame_is_known_and_another_of_its_theme_is_not() -> None:
    rng, seen = Random(3), SeenTexts()
    article = words(rng, 400)
    assert seen.earlier("a", article) is None
    assert seen.earlier("b", f"{words(rng, 40)} {article} {words(rng, 30)}") == "a"
    assert seen.earlier("c", f"{' '.join(article.split()[:120])} {words(rng, 280)}") is None
    assert seen.earlier("d", f"Home {article.upper()}") == "a"
    assert seen.earlier("e", "Short.") is None
    assert seen.earlier("f", "short") == "e"
    short = words(rng, 150)
    assert seen.earlier("whole", f"{short} {words(rng, 150)}") is None
    assert seen.earlier("part", short) == "whole"


def test_every_file_that_is_changed_exchanged_removed_or_added_is_found(small: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    about, contents = read_sandbox(copy), files(copy)
    assert [*changed_sandbox_files(copy, about)] == []
    written = read_json(copy / SANDBOX_FILE)
    for changed in ({"seed": "8"}, {"sizes": {"16k": 16_001}}, {"sums": {}}, {"own_sum": ""}):
        write_json(copy / SANDBOX_FILE, written | changed)
        assert SANDBOX_FILE in dict(changed_sandbox_files(copy, read_sandbox(copy))), changed
    write_json(copy / SANDBOX_FILE, written)
    for name, content in contents.items():
        path = copy / name
        if path.name == SANDBOX_FILE:
            continue
        alike = [other for each, other in contents.items() if Path(each).name == path.name and other != content]
        for changed in (content + b" ", content[1:], *alike[-1:]):
            path.write_bytes(changed)
            assert [*changed_sandbox_files(copy, about)] == [
                (name, f"{name} has been changed since the sandbox was built.")
            ]
        added = path.rename(f"{path}.bak")
        assert dict(changed_sandbox_files(copy, about)) == {
            name: f"{name} has been removed since the sandbox was built.",
            f"{name}.bak": f"{name}.bak has been added since the sandbox was built.",
        }
        added.unlink()
        path.write_bytes(content)


def test_the_check_goes_on_after_a_file_or_a_user_that_is_gone(small: Path, world: World, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    first, second = (query.query_id for query in QUERIES)
    (task_folder(copy, first) / "labels.jsonl").unlink()
    write_json(copy / SANDBOX_FILE, {**read_json(copy / SANDBOX_FILE), "seed": "8"})
    found = sandbox_faults(copy)
    assert f"tasks/{first}/labels.jsonl has been removed since the sandbox was built." in found[first]
    assert any("not whole" in fault for fault in found[first])
    assert found[second] == [f"{SANDBOX_FILE} has been changed since it was built."]
    queries = [query.model_copy(update={"user_id": "NOBODY"}) for query in QUERIES]
    write_lines(copy / "queries.jsonl", (query.as_line() for query in queries))
    assert "its user 'NOBODY' is none of the shop's." in sandbox_faults(copy, world)[second]


def test_the_command_builds_for_drawn_users_into_a_new_folder(world: World, tmp_path: Path, drretail: Command) -> None:
    asked = ("sandbox", "build", *f"--world {world.folder} --to s --n 1 --sizes 16k,8k,16k --seed 1".split())
    made = drretail(*asked)
    assert (made.returncode, made.stdout) == (0, "s: 1 query, in 8k, 16k.\n"), made.stderr
    before = files(tmp_path / "s")
    for options, message in (
        (asked, "s is a finished sandbox: for another, name a new folder."),
        ((*asked, "--web", "ofline"), "no web 'ofline'"),
    ):
        refused = drretail(*options)
        assert refused.returncode == 2
        assert message in " ".join(refused.stderr.split())
    assert files(tmp_path / "s") == before
