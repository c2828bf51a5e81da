"""A long report in parts: nothing is lost, and no table is cut."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.claims.sections import parts_of

TABLE = "| Kettle | Price |\n|---|---|\n" + "\n".join(f"| Kettle {it} | ${it} |" for it in range(40))
BLOCKS = st.sampled_from(
    ["## Heading\n", "A sentence of some words. And another one.\n\n", "- an item\n", TABLE + "\n\n", "\n"]
)


def test_a_short_report_is_one_part() -> None:
    (part,) = parts_of("# A\n\nb")
    assert (part.start, part.end, part.above) == (0, 6, ())


def test_cuts_stand_before_headings_where_there_are_some_near() -> None:
    report = "# Title\n\n" + "\n\n".join(f"## Part {it}\n\n" + "A word or two. " * 30 for it in range(4))
    parts = parts_of(report, 1_000)
    assert [report[part.start : part.end].split("\n")[0] for part in parts] == ["# Title", "## Part 2"]
    assert parts[1].above == ("Title", "Part 1")


def test_a_table_that_is_too_long_stays_whole() -> None:
    report = f"Before it.\n\n{TABLE}\n\nBehind it."
    assert [report[it.start : it.end].strip() for it in parts_of(report, 200)] == ["Before it.", TABLE, "Behind it."]


@given(st.lists(BLOCKS, max_size=30), st.integers(60, 600))
def test_parts_make_up_the_report_and_no_table_is_in_two(blocks: list[str], longest: int) -> None:
    report = "".join(blocks)
    parts = parts_of(report, longest)
    assert "".join(report[part.start : part.end] for part in parts) == report
    assert sum(report[part.start : part.end].count(TABLE) for part in parts) == report.count(TABLE)
