from drretail.grounding.text.layout import read_layout
from drretail.grounding.verify.repetition import repeated_sections

WORDS = [f"word{number}" for number in range(120)]


def report(*sections: list[str]) -> str:
    return "\n\n".join(f"## Part {number}\n\n{' '.join(words)}" for number, words in enumerate(sections, 1))


def test_a_section_that_repeats_another_in_almost_its_words_is_a_warning_unless_it_is_short_or_a_table() -> None:
    (finding,) = repeated_sections(read_layout(report(WORDS[:60], WORDS[60:], WORDS[:60]), ()))
    assert (finding.severity, finding.text, finding.found) == ("warning", "Part 3", "100% of it stands in “Part 1”")
    changed = [*WORDS[:30], "other", *WORDS[31:60]]
    assert len(repeated_sections(read_layout(report(WORDS[:60], changed), ()))) == 1
    assert repeated_sections(read_layout(report(WORDS[:60], WORDS[60:]), ())) == []
    assert len(repeated_sections(read_layout(report(WORDS[10:60], WORDS), ()))) == 1

    assert repeated_sections(read_layout(report(WORDS[:20], WORDS[:20]), ())) == []
    rows = "| a | b |\n|---|---|\n" + "\n".join("| one two three | four five six |" for _ in range(20))
    assert repeated_sections(read_layout(f"## A\n\n{rows}\n\n## B\n\n{rows}", ())) == []
