"""Fixed pages: one set for all queries, or a web for each; and what the pages of the demo web are."""

import json
from datetime import date
from pathlib import Path

import pytest

from drretail.env.web import sandbox
from drretail.env.web.sandbox import CORPORA, SandboxPage, SandboxWeb, SealedWeb, cautions, raw_files_hash
from drretail.env.world import world_at
from drretail.errors import UserError
from drretail.records.query import Query
from drretail.records.wish import spoken
from tests.sealed import Page, seal
from tests.shop import PAGES as PAGES_IN_MEMORY
from tests.shop import build_shop

PAGES = [
    {
        "url": "https://a.example/feeder",
        "title": "Choosing a bird feeder",
        "text": "Tube or hopper?",
        "date": "2023-01-02",
    },
    {"url": "https://b.example/height", "title": "Garden notes", "text": "A bird feeder hangs five feet high."},
    {"url": "https://c.example/dogs", "title": "Dog beds", "text": "Older dogs need thick beds."},
    {"url": "https://d.example/void", "title": "Empty page about dogs", "text": " "},
]


def corpus(folder: Path, *lines: str) -> Path:
    path = folder / "pages.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def web(tmp_path: Path) -> SandboxWeb:
    return SandboxWeb(corpus(tmp_path, *map(json.dumps, PAGES)))


def test_a_page_is_shown_in_title_snippet_and_date_and_fetched_by_any_spelling_of_its_address(web: SandboxWeb) -> None:
    first = web.search("bird feeder", 5)[0]
    assert (first.title, first.snippet, first.date) == ("Choosing a bird feeder", "Tube or hopper?", "2023-01-02")
    page = web.fetch("HTTPS://B.example/height/?utm_source=x#top")
    assert (page.url, page.state) == ("https://b.example/height", "ok")
    assert page.text == "A bird feeder hangs five feet high."
    assert web.fetch("https://nowhere.example").state == "not_found"
    assert web.fetch("https://d.example/void").state == "no_content"
    assert web.fetch("not an address").text == ""


def test_pages_are_found_by_words_that_mean_something(web: SandboxWeb) -> None:
    for query, found in (
        ("bird feeder", "ab"),  # a word in the title counts more
        ("dog's bed", "cd"),
        ("high court ruling on patent appeals", ""),  # one common word is no match
        ("", ""),
    ):
        assert "".join(result.url[8] for result in web.search(query, 5)) == found, query


def test_a_page_dated_after_the_shops_today_is_not_served(web: SandboxWeb) -> None:
    before, on_the_day = web.as_of(date(2023, 1, 1)), web.as_of(date(2023, 1, 2))
    assert [result.url[8] for result in before.search("bird feeder", 5)] == ["b"]
    assert (before.withheld, on_the_day.withheld, web.withheld) == (1, 0, 0)
    page = before.fetch("https://a.example/feeder")
    assert (page.state, page.text, page.title) == ("error", "", "")
    assert page.problem == "The page is dated 2023-01-02, after the shop's today, 2023-01-01: the sandbox withholds it."
    assert on_the_day.fetch("https://a.example/feeder").state == web.fetch("https://a.example/feeder").state == "ok"
    assert before.corpus == web.corpus


def test_a_world_serves_the_pages_of_its_own_day_and_cautions_of_others_and_of_the_demos(tmp_path: Path) -> None:
    pages = [
        SandboxPage(url=f"https://{day}.example", title="Feeder", text="A feeder.", date=day)
        for day in ("2023-01-02", "2023-01-03", "2023-01-04")
    ]
    folder = build_shop(tmp_path)
    with world_at(folder, web=SandboxWeb(pages)) as world:  # its last order is of 2 January
        assert [result.date for result in world.web.search("feeder", 5)] == ["2023-01-02", "2023-01-03"]
        assert cautions(world.web, world.manifest) == [
            "1 page of the sandbox is dated after the shop's today, 2023-01-03, and not served."
        ]
        assert cautions(SandboxWeb(PAGES_IN_MEMORY), world.manifest) == []
        assert raw_files_hash(world.manifest) not in CORPORA
    with world_at(folder) as own:
        assert "made for the demo shop" in cautions(own.web, own.manifest)[0]


PAGE = '"url": "https://x.example", "title": "T", "text": "t"'


def test_a_broken_line_or_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        SandboxWeb(tmp_path / "pages.jsonl")
    for lines, message in (
        (['{"url": "https://x.example", "title": "T"}'], "line 2, is no page .*text is missing"),
        ([f'{{{PAGE}, "date": "May"}}'], "line 2, is no page .*date"),
        (['{"url": "https://A.example/feeder#x", "title": "T", "text": "t"}'], "line 2: .* stands in line 1 already"),
        (None, "holds no page"),
    ):
        with pytest.raises(UserError, match=message):
            SandboxWeb(corpus(tmp_path, *([] if lines is None else [json.dumps(PAGES[0]), *lines, "  "])))


QUERY = Query(query_id="q1", user_id="AE", text="Which diaper bag?", source="test")
SEALED = [
    Page("good", "Diaper bag guide", "A diaper bag with two straps is easier. ", "32k", "supportive"),
    Page("old", "Diaper bag news", "A diaper bag costs nine dollars. ", "64k", "distractor"),
    Page("far", "Lawn mowers", "Mowers cut grass and no diaper bag. ", "64k", "noise"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return seal(tmp_path, {"q1": SEALED}, [QUERY])


def pages_found(web: SealedWeb) -> set[str]:
    return {each.url[8:-9] for each in web.of(QUERY).search("diaper bag", 9)}


def test_a_size_and_a_composition_choose_the_pages(folder: Path) -> None:
    web = SealedWeb(folder)
    for chosen, names in (
        ((), {"good"}),
        (("64k",), {"good", "old", "far"}),
        (("64k", "no_distractor"), {"good", "far"}),
        (("64k", "supportive_only"), {"good"}),
        (("64k", "no_supportive"), {"old", "far"}),
    ):
        assert pages_found(web.at(*chosen)) == names, chosen
        assert pages_found(web.at(*chosen).at()) == {"good"}, "the smallest is the default"


def test_labels_are_read_for_a_composition_alone_and_needed_for_each_page(folder: Path) -> None:
    labels = folder / "tasks" / QUERY.query_id / "labels.jsonl"
    labels.write_text("".join(labels.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(UserError, match=r"no label of 1 pages, https://far"):
        pages_found(SealedWeb(folder).at("64k", "no_distractor"))
    labels.unlink()
    assert pages_found(SealedWeb(folder).at("64k", "all")) == {"good", "old", "far"}
    with pytest.raises(UserError, match=r"has no labels\.jsonl, by which compose chooses pages"):
        SealedWeb(folder).at("64k", "supportive_only")


def test_every_size_and_composition_has_a_corpus_of_its_own_that_changes_with_its_pages(folder: Path) -> None:
    def corpora() -> dict[tuple[str, str], str]:
        web = SealedWeb(folder)
        return {each: web.at(*each).corpus for each in (("32k", "all"), ("64k", "all"), ("64k", "no_distractor"))}

    before = corpora()
    assert len(set(before.values())) == 3
    assert corpora() == before
    seal(folder, {"q1": [*SEALED[:2], SEALED[2]._replace(text="Other words.")]}, [QUERY])
    after = corpora()
    assert {each for each in before if before[each] != after[each]} == {("64k", "all"), ("64k", "no_distractor")}


def test_a_query_is_found_by_id_words_and_user_and_a_lone_question_by_words_and_user(folder: Path) -> None:
    web = SealedWeb(folder)
    lone = QUERY.model_copy(update={"query_id": "ask-1", "source": "ask"})
    assert web.own_query(QUERY) == web.own_query(lone) == QUERY
    strange = ({"text": "?"}, {"user_id": "AZ"})
    unknown = QUERY.model_copy(update={"query_id": "other"})
    for other in (unknown, *(lone.model_copy(update=each) for each in strange)):
        with pytest.raises(UserError, match=r"has no web: .*queries\.jsonl has no such query"):
            web.of(other)
    for other in (QUERY.model_copy(update=each) for each in strange):
        with pytest.raises(UserError, match="has another query or user under that id"):
            web.of(other)


def test_a_page_is_fetched_without_its_query_where_it_is_the_same_for_all(folder: Path) -> None:
    web = SealedWeb(folder)
    assert web.fetch("https://good.example/").text == SEALED[0].text
    assert web.fetch("https://far.example/").state == "not_found"
    assert web.at("64k").fetch("https://far.example/").state == "ok"
    second = QUERY.model_copy(update={"query_id": "q2"})
    seal(folder, {"q1": SEALED, "q2": [SEALED[0]._replace(text="Else.")]}, [QUERY, second])
    page = SealedWeb(folder).fetch("https://good.example/")
    assert (page.state, "different pages" in str(page.problem)) == ("error", True)
    for address, state in (("https://old.example/", "ok"), ("https://no.example/", "not_found")):
        assert SealedWeb(folder).at("64k").fetch(address).state == state  # of q1 alone; of none


def test_a_task_without_pages_or_without_one_of_its_size_is_broken(folder: Path) -> None:
    seal(folder, {"q1": [page._replace(since="17k") for page in SEALED]}, [QUERY])
    with pytest.raises(UserError, match="has no page of the size 64k"):
        pages_found(SealedWeb(folder).at("64k"))
    (folder / "tasks" / QUERY.query_id / "pages.jsonl.gz").unlink()
    with pytest.raises(UserError, match=r"The sandbox is not whole: there is no .*pages\.jsonl\.gz"):
        SealedWeb(folder).of(QUERY)


@pytest.mark.parametrize("shop", ["demo", "market"])
def test_what_pages_of_a_shop_establish_stands_on_them(shop: str) -> None:
    (pages,) = {files[-1] for files in sandbox.shipped_corpora().values() if files[-1].stem == f"{shop}_pages"}
    texts = {page.url: spoken(page.text) for page in sandbox.read_corpus(pages)}
    for page in map(json.loads, pages.with_name(f"{shop}_facts.jsonl").read_text("utf-8").splitlines()):
        assert len({*page["near_misses"]} & texts.keys() - {page["url"]}) >= 2
        facts = [each for fact in page["facts"] for each in (fact["says"], *fact.get("figures", ()))]
        assert not [words for each in facts for words in each if spoken(words) not in texts[page["url"]]], page["url"]


def test_the_demo_s_pages_are_those_of_every_shop_and_its_own_each_once() -> None:
    everyone, demo, _ = sandbox.shipped_corpora().values()
    web = SandboxWeb(*demo)
    assert len(web.pages) == len({page.url for page in web.pages}) == len(SandboxWeb(*everyone).pages) + 30
