"""Sizes of a sandbox, and which of the found pages are kept."""

from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.addons.sandboxes.folder import (
    BY_CHARACTERS,
    Keywords,
    LabelledPage,
    PlacedPages,
    TaskMaterial,
    counter_of,
    place_pages,
    read_sizes,
    write_sandbox,
    write_task,
)
from drretail.addons.sandboxes.search_based.gold import smallest_cover
from drretail.addons.sandboxes.search_based.pages import SeenTexts
from drretail.env.web.sandbox import Label, SandboxFolder, SandboxPage, read_pages, read_sandbox, task_folder
from drretail.errors import UserError
from drretail.records.criteria import KnownAnswer
from drretail.records.query import Query

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


@pytest.mark.parametrize("wrong", ["0k", "-32k", "32", "32k,", "½k", "", "9999999k"])
def test_what_is_no_size_is_refused(wrong: str) -> None:
    with pytest.raises(UserError, match="--sizes"):
        read_sizes(wrong)


def test_sizes_are_sorted_and_each_is_there_once() -> None:
    assert list(read_sizes("64k, 32k,064k").items()) == [("32k", 32000), ("64k", 64000)]


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
    found = place_pages(pages, SIZES, BY_CHARACTERS)
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


def test_a_size_that_the_pages_cannot_fill_is_left_out_with_the_tokens_there_are(tmp_path: Path) -> None:
    few = [page(f"n{number}", 500) for number in range(40)]
    task = write_task(tmp_path, material([300], [200], few), SIZES, BY_CHARACTERS)
    about = SandboxFolder.model_validate({
        "world_fingerprint": "w", "now": "2023-09-01T00:00:00Z", "seed": "1", "sizes": SIZES,
        "counter": "characters/4", "web": "serper", "made_by": "m",
    })  # fmt: skip
    assert write_sandbox(tmp_path, about, [task]) == ["32k is left out: the pages of q-1 have 20,500 tokens."]
    assert read_sandbox(tmp_path).names == ["8k", "16k"]
    pages = read_pages(task_folder(tmp_path, "q-1"))
    assert {page.since for page in pages} == {"8k", "16k"}
    addresses = [page.url for page in pages if page.since == "8k"]
    assert addresses == sorted(addresses), "an order that tells of no label"


def test_too_few_pages_for_any_size_and_too_many_that_are_needed_are_refused_with_the_query() -> None:
    with pytest.raises(UserError, match=r"q-1.*700 tokens, too few for 8k"):
        place_pages(material([300], [200], [page("n", 200)]), SIZES, BY_CHARACTERS)
    with pytest.raises(UserError, match=r"q-1.*9,200 tokens, more than 8k"):
        place_pages(material([9000], [200], noise(100)), SIZES, BY_CHARACTERS)


def test_a_tokenizer_that_is_not_known_is_refused_with_those_that_are() -> None:
    pytest.importorskip("tiktoken")
    with pytest.raises(UserError, match="o200k_base"):
        counter_of("bpe")


PAGES = st.dictionaries(st.integers(0, 7), st.sets(st.integers(0, 9)), min_size=1, max_size=8)


@given(PAGES, st.randoms(use_true_random=False))
def test_no_fact_is_lost_and_every_page_that_is_kept_has_one_of_its_own(has: dict[int, set[int]], rng: Random) -> None:
    kept = smallest_cover(has, {page: rng.randint(1, 9) for page in has})
    assert set().union(*(has[page] for page in kept)) == set().union(*has.values())
    for page in kept:
        assert has[page] - set().union(*(has[other] for other in kept if other != page))


def test_of_pages_that_say_the_same_the_shorter_one_is_kept() -> None:
    assert smallest_cover({0: {1, 2}, 1: {1, 2}, 2: set()}, {0: 900, 1: 300, 2: 10}) == {1}


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
