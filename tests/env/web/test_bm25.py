"""The passage of a page that a search shows: where it lies, where it is cut, and how long it is."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.bm25 import CUT, LONGEST_CHUNK, LONGEST_PASSAGE, best_passage

FILLER = "Nothing of interest stands in this sentence at all. " * 40
TEXT = f"{FILLER}Hang the feeder five feet high, out of reach of squirrels. {FILLER}"


def same(term: str) -> float:
    return 1.0


def piece_of(passage: str) -> str:
    return passage.removeprefix(f"{CUT} ").removesuffix(f" {CUT}")


def test_a_short_text_is_shown_whole_and_nothing_is_cut_at_the_ends_of_a_page() -> None:
    assert best_passage("  A\n short   text. ", "whatever", same) == "A short text."
    assert best_passage(" \n ", "whatever", same) == ""
    last = best_passage(f"{FILLER}Feeders.", "feeder", same)
    assert last.endswith("at all. Feeders.")
    assert 0.75 * LONGEST_PASSAGE <= len(last) <= LONGEST_PASSAGE
    assert best_passage(f"Feeders. {FILLER}", "feeder", same).startswith("Feeders. Nothing")
    assert best_passage(TEXT, "zyzzyva", same).startswith("Nothing of interest"), "without a common word, too"


def test_a_passage_is_as_long_as_a_search_engine_s_snippet_with_the_match_in_its_middle_and_a_chunk_longer() -> None:
    passage = best_passage(TEXT, "feeder squirrels", same)
    assert 0.75 * LONGEST_PASSAGE <= len(passage) <= LONGEST_PASSAGE == 160
    before, after = passage.split("Hang the feeder five feet high, out of reach of squirrels.")
    assert before.startswith(f"{CUT} ")
    assert after.endswith(f" {CUT}")
    assert abs(len(before) - len(after)) <= 40
    chunk = best_passage(TEXT, "feeder", same, LONGEST_CHUNK)
    assert 0.75 * LONGEST_CHUNK <= len(chunk) <= LONGEST_CHUNK
    assert piece_of(chunk).endswith("at all."), "short sentences stay whole in a chunk"
    endless = best_passage("word " * 900 + "feeder " + "word " * 900, "feeder", same)
    assert "feeder" in endless
    assert 0.75 * LONGEST_PASSAGE <= len(endless) <= LONGEST_PASSAGE


def test_where_the_words_of_the_query_stand_densest_is_shown_and_rare_ones_weigh_more() -> None:
    text = f"The feeder. {FILLER}A feeder, a squirrel, another feeder. {FILLER}A squirrel."
    assert "another feeder" in best_passage(text, "squirrel feeder", same)
    text = f"Common words here. {FILLER} A rare word there. {FILLER}"
    assert "rare" in best_passage(text, "common rare", lambda term: 2.0 if term == "rare" else 1.0)
    assert best_passage(text, "common rare", lambda term: 2.0 if term == "common" else 1.0).startswith("Common")


@given(st.text(), st.text(max_size=20))
def test_a_passage_is_a_piece_of_the_text_of_bounded_length(text: str, query: str) -> None:
    passage = best_passage(text * 40, query, same)
    whole = "".join((text * 40).split())
    assert "".join(piece_of(passage).split()) in whole or "".join(passage.split()) in whole
    assert len(passage) <= LONGEST_PASSAGE


@given(st.lists(st.sampled_from(["feeder", "squirrel.", "the", "(bird)", "x" * 40]), min_size=1, max_size=600))
def test_words_are_never_cut(words: list[str]) -> None:
    piece = piece_of(best_passage(" ".join(words), "feeder bird", same))
    assert set(piece.split()) <= set(words)
    assert len(piece) <= LONGEST_PASSAGE
