"""Passages that a search shows, and fixed pages ranked by embeddings. Also tests bm25.py."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.embeddings import Embeddings

from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.bm25 import LONGEST_PASSAGE, best_passage
from drretail.env.web.dense import Retrievers, embeddings_of
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.errors import ToolError, UserError
from drretail.llm.providers import open_embeddings

FILLER = "Nothing of interest stands in this sentence at all. " * 40
TEXT = f"{FILLER}Hang the feeder five feet high, out of reach of squirrels. {FILLER}"


def same(term: str) -> float:
    return 1.0


def test_a_short_text_is_shown_whole_and_nothing_is_cut_at_the_ends_of_a_page() -> None:
    assert best_passage("  A\n short   text. ", "whatever", same) == "A short text."
    assert best_passage(" \n ", "whatever", same) == ""
    last = best_passage(f"{FILLER}Feeders.", "feeder", same)
    assert last.endswith("at all. Feeders.")
    assert 0.75 * LONGEST_PASSAGE <= len(last) <= LONGEST_PASSAGE
    assert best_passage(f"Feeders. {FILLER}", "feeder", same).startswith("Feeders. Nothing")
    assert best_passage(TEXT, "zyzzyva", same).startswith("Nothing of interest"), "without a common word, too"


SUBJECTS = (("clean", "wash", "hygiene"), ("seed", "food"), ("squirrel",))
WEB = SandboxWeb(
    [
        SandboxPage(url="https://a.example", title="Feeders", text="Wash it every two weeks.", date="2022-01-01"),
        SandboxPage(url="https://b.example", title="Feeders", text="Black seed suits most birds."),
        SandboxPage(url="https://c.example", title="Feeders", text=f"{'Nothing here. ' * 200}\nA squirrel is clever."),
    ]
)


class Subjects(Embeddings):
    """Near is what speaks of the same subject, in whichever words."""

    def __init__(self) -> None:
        self.documents: list[str] = []
        self.fails = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += texts
        return [self._embedded(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if self.fails:
            raise OSError("no route")
        return self._embedded(text)

    def _embedded(self, text: str) -> list[float]:
        return [0.1, *(float(any(word in text.casefold() for word in words)) for words in SUBJECTS)]


def ranked(embeddings: Embeddings, cache: Path | None = None, web: SandboxWeb = WEB):
    return Retrievers(lambda spec: embeddings, cache).ranked(web, "fake:subjects")


def test_a_page_is_found_by_its_subject_where_no_word_is_shared_and_its_passage_is_of_the_nearest_chunk() -> None:
    assert WEB.search("hygiene", 1) == []
    first, _ = ranked(Subjects()).search("hygiene", 2)
    text = "Wash it every two weeks."
    assert first == WebResult("Feeders", "https://a.example", text, "2022-01-01")
    assert first.chunk is not None
    assert first.chunk() == text
    (found,) = ranked(Subjects()).search("squirrel", 1)
    assert (found.url, "A squirrel is clever." in found.snippet) == ("https://c.example", True)
    assert found.chunk is not None
    assert found.chunk().startswith("… ")
    assert found.chunk().endswith("A squirrel is clever.")
    assert len(found.snippet) <= LONGEST_PASSAGE < len(found.chunk())


def test_vectors_are_kept_for_the_corpus_and_made_once(tmp_path: Path) -> None:
    first, second = Subjects(), Subjects()
    found = ranked(first, tmp_path).search("seed", 3)
    assert ranked(second, tmp_path).search("seed", 3) == found
    assert (len(first.documents), second.documents) == (4, [])
    (file,) = tmp_path.iterdir()
    assert file.name == f"{WEB.corpus[:16]}-fake-subjects.npz"
    other = SandboxWeb([SandboxPage(url="https://a.example", title="Feeders", text="Black seed.")])
    ranked(first, tmp_path, other).search("seed", 1)
    assert len([*tmp_path.iterdir()]) == 2


def test_nothing_is_opened_before_the_first_search_and_what_fails_then_is_a_failing_search() -> None:
    def refused(spec: str) -> Embeddings:
        raise UserError(f"{spec} has no key")

    web = Retrievers(refused).ranked(WEB, "openai:any")
    with pytest.raises(ToolError, match="could not be ranked: UserError: openai:any has no key"):
        web.search("seed", 1)
    embeddings = Subjects()
    embeddings.fails = True
    with pytest.raises(ToolError) as raised:
        ranked(embeddings).search("seed", 1)
    assert raised.value.kind == "unavailable"
    live = SimpleNamespace(provider="live", corpus=None)
    with pytest.raises(UserError, match="ranks fixed pages, and live has none"):
        Retrievers().ranked(live, "fake:subjects")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("retriever", ["dense", "dense:", "dense:openai", "dense:openai:", "tfidf", "dense:offline:x"])
def test_embeddings_are_named_by_their_provider(retriever: str) -> None:
    with pytest.raises(UserError):
        embeddings_of(retriever)
    assert embeddings_of("bm25") is None
    assert embeddings_of("dense:openai:text-embedding-3-small") == "openai:text-embedding-3-small"
    with pytest.raises(UserError, match=r"'nosuch:any' cannot be opened: .*'nosuch' is not supported"):
        open_embeddings("nosuch:any")


def test_embeddings_of_google_are_opened_under_langchains_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langchain.embeddings.init_embeddings", lambda model, provider: (model, provider))
    assert open_embeddings("google:gemini-embedding-001") == ("gemini-embedding-001", "google_genai")


def test_offline_words_are_near_where_words_are_shared_and_pages_and_corpus_stay_what_they_are() -> None:
    web = Retrievers().ranked(WEB, "offline:words")
    assert [each.url for each in web.search("which seed suits birds", 1)] == ["https://b.example"]
    assert (web.provider, web.corpus) == (WEB.provider, WEB.corpus)
    page = WebPage("https://b.example", "Feeders", "Black seed suits most birds.", state="ok")
    assert web.fetch("https://b.example") == page
