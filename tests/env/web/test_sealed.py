from pathlib import Path
from typing import Any

import pytest

from drretail.env.web.sealed import SealedWeb
from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.records.query import Query
from tests.sealed import Page, seal

QUERY = Query(query_id="q1", user_id="AE", text="Which diaper bag?", source="test")
PAGES = [
    Page("good", "Diaper bag guide", "A diaper bag with two straps is easier. ", "32k", "supportive"),
    Page("old", "Diaper bag news", "A diaper bag costs nine dollars. ", "64k", "distractor"),
    Page("far", "Lawn mowers", "Mowers cut grass and no diaper bag. ", "64k", "noise"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return seal(tmp_path, {"q1": PAGES}, [QUERY])


def found(web: SealedWeb) -> set[str]:
    return {each.url[8:-9] for each in web.of(QUERY).search("diaper bag", 9)}


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ((), {"good"}),
        (("64k",), {"good", "old", "far"}),
        (("64k", "no_distractor"), {"good", "far"}),
        (("64k", "supportive_only"), {"good"}),
        (("64k", "no_supportive"), {"old", "far"}),
    ],
)
def test_a_size_and_a_composition_choose_the_pages(folder: Path, chosen: tuple[str, ...], names: set[str]) -> None:
    web = SealedWeb(folder).at(*chosen)
    assert found(web) == names
    assert found(web.at()) == {"good"}, "the smallest is the default"


def test_labels_are_read_for_a_composition_alone_and_needed_for_each_page(folder: Path) -> None:
    labels = folder / "tasks" / QUERY.query_id / "labels.jsonl"
    labels.write_text("".join(labels.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(UserError, match=r"no label of 1 pages, https://far"):
        found(SealedWeb(folder).at("64k", "no_distractor"))
    labels.unlink()
    assert found(SealedWeb(folder).at("64k", "all")) == {"good", "old", "far"}
    with pytest.raises(UserError, match=r"has no labels\.jsonl, by which --compose chooses pages"):
        SealedWeb(folder).at("64k", "supportive_only")


def test_every_size_and_composition_has_a_corpus_of_its_own_that_changes_with_its_pages(folder: Path) -> None:
    def corpora() -> dict[tuple[str, str], str]:
        web = SealedWeb(folder)
        return {each: web.at(*each).corpus for each in (("32k", "all"), ("64k", "all"), ("64k", "no_distractor"))}

    before = corpora()
    assert len(set(before.values())) == 3
    assert corpora() == before
    seal(folder, {"q1": [*PAGES[:2], PAGES[2]._replace(text="Other words.")]}, [QUERY])
    after = corpora()
    assert {each for each in before if before[each] != after[each]} == {("64k", "all"), ("64k", "no_distractor")}


def test_a_web_that_was_asked_for_is_held_but_only_so_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = SealedWeb(folder)
    assert web.of(QUERY) is web.at("32k").of(QUERY)
    monkeypatch.setattr("drretail.env.web.sealed.MOST_WEBS", 1)
    web = SealedWeb(folder)
    first = web.of(QUERY)
    web.at("64k").of(QUERY)
    assert web.of(QUERY) is not first


def query_like(**given: Any) -> Query:
    return QUERY.model_copy(update=given)


def test_a_query_is_found_by_id_words_and_user_and_a_lone_question_by_words_and_user(folder: Path) -> None:
    web = SealedWeb(folder)
    assert web.own_query(QUERY) == web.own_query(query_like(query_id="ask-1", source="ask")) == QUERY
    lone = query_like(query_id="ask-1", source="ask")
    strange = ({"text": "?"}, {"user_id": "AZ"})
    for other in (query_like(query_id="other"), *(lone.model_copy(update=each) for each in strange)):
        with pytest.raises(UserError, match=r"has no web: .*queries\.jsonl has no such query"):
            web.of(other)
    for other in (query_like(text="?"), query_like(user_id="AZ")):
        with pytest.raises(UserError, match="has another query or user under that id"):
            web.of(other)


def test_a_page_is_fetched_without_its_query_where_it_is_the_same_for_all(folder: Path) -> None:
    web = SealedWeb(folder)
    assert web.fetch("https://good.example/").text == PAGES[0].text
    assert web.fetch("https://far.example/").state == "error"
    assert web.at("64k").fetch("https://far.example/").state == "ok"
    seal(folder, {"q1": PAGES, "q2": [PAGES[0]._replace(text="Else.")]}, [QUERY, query_like(query_id="q2")])
    page = SealedWeb(folder).fetch("https://good.example/")
    assert (page.state, "different pages" in str(page.problem)) == ("error", True)


def test_a_task_without_pages_or_without_one_of_its_size_is_broken(folder: Path) -> None:
    seal(folder, {"q1": [page._replace(since="17k") for page in PAGES]}, [QUERY])
    with pytest.raises(UserError, match="has no page of the size 64k"):
        found(SealedWeb(folder).at("64k"))
    (folder / "tasks" / QUERY.query_id / "pages.jsonl.gz").unlink()
    with pytest.raises(UserError, match=r"The sandbox is not whole: there is no .*pages\.jsonl\.gz"):
        SealedWeb(folder).of(QUERY)


@pytest.mark.parametrize("sizes", [{}, {"32k": 0}, {"32k": -5}])
def test_a_sandbox_without_a_size_of_some_tokens_is_broken(folder: Path, sizes: dict[str, int]) -> None:
    write_json(folder / "sandbox.json", read_json(folder / "sandbox.json") | {"sizes": sizes})
    with pytest.raises(UserError, match="is broken"):
        SealedWeb(folder)
