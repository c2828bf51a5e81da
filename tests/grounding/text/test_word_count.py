"""The length of reports."""

from drretail.grounding.text.wording import words_of
from drretail.records.evidence import Citation


def test_words_are_those_of_the_report_without_its_citations() -> None:
    report = "# Feeders\n\n- Take the tube [P:B0TEST0001], or wait [W:AAAA2222]."
    marks = [
        Citation(marker=marker, start=report.index(marker), end=report.index(marker) + len(marker), type="product")
        for marker in ("[W:AAAA2222]", "[P:B0TEST0001]")
    ]
    assert words_of(report, marks) == len(["Feeders", "Take", "the", "tube", "or", "wait"])


def test_of_scripts_without_spaces_each_sign_is_a_word() -> None:
    assert words_of("水壶容量为1.7升，很安静。", []) == 10
    assert words_of("Alder 水壶, 조용한 주전자", []) == 5
