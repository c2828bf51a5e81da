"""Passages that a search shows."""

from drretail.env.web.bm25 import LONGEST_PASSAGE, best_passage

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
