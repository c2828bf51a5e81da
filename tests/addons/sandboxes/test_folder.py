"""The pages of a sandbox in every size. Also tests options.py.
write_task, write_sandbox: tests/addons/sandboxes/search_based/test_build.py.
"""

from collections.abc import Iterator
from itertools import chain, count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.addons.sandboxes.folder import Keywords, LabelledPage, PlacedPages, TaskMaterial, place_pages, read_sizes
from drretail.env.web.sandbox import Label, SandboxPage
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
