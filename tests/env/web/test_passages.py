from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.bm25 import LENGTH, best_passage

FILLER = "Nothing of interest stands in this sentence at all. " * 12
TEXT = f"{FILLER}Hang the feeder five feet high, out of reach of squirrels. {FILLER}"


def same(term: str) -> float:
    return 1.0


def test_a_short_text_is_shown_whole() -> None:
    assert best_passage("  A\n short   text. ", "whatever", same) == "A short text."


def test_the_passage_holds_the_words_of_the_query() -> None:
    passage = best_passage(TEXT, "feeder squirrels", same)
    assert "feeder five feet high, out of reach of squirrels." in passage
    assert passage.startswith("… ")
    assert passage.endswith(" …")


def test_a_passage_begins_with_the_sentence_of_its_first_word() -> None:
    assert best_passage(TEXT, "feeder squirrels", same).startswith("… Hang the feeder")


def test_at_the_end_of_a_page_a_passage_reaches_back() -> None:
    passage = best_passage(f"{FILLER}Feeders.", "feeder", same)
    assert passage.endswith("Feeders.")
    assert len(passage) > LENGTH / 3


def test_of_equal_passages_the_first_is_shown() -> None:
    text = f"{FILLER}The first feeder. {FILLER}The second feeder. {FILLER}"
    assert "first" in best_passage(text, "feeder", same)


def test_rare_words_weigh_more() -> None:
    text = f"Common words here. {FILLER} A rare word there. {FILLER}"
    assert "rare" in best_passage(text, "common rare", lambda term: 2.0 if term == "rare" else 1.0)
    assert best_passage(text, "common rare", lambda term: 2.0 if term == "common" else 1.0).startswith("Common")


def test_without_a_common_word_the_beginning_is_shown() -> None:
    assert best_passage(TEXT, "zyzzyva", same).startswith("Nothing of interest")


@given(st.text(), st.text(max_size=20))
def test_a_passage_is_a_piece_of_the_text_of_bounded_length(text: str, query: str) -> None:
    passage = best_passage(text * 40, query, same)
    piece = passage.removeprefix("… ").removesuffix(" …")
    assert piece in " ".join((text * 40).split()) or passage in " ".join((text * 40).split())


@given(st.lists(st.sampled_from(["feeder", "squirrel.", "the", "(bird)", "x" * 40]), min_size=1, max_size=200))
def test_words_are_never_cut(words: list[str]) -> None:
    text = " ".join(words)
    piece = best_passage(text, "feeder bird", same).removeprefix("… ").removesuffix(" …")
    assert set(piece.split()) <= set(words)
    assert len(piece) <= LENGTH + 4
