from drretail.eval.families.report_eval.cited import cited_sentences
from drretail.records.evidence import Evidence

PAGE = Evidence(id="W:aaaaaaaa", kind="web", key="https://a.example/x", title="X", url="https://a.example/x")
ORDER = Evidence(id="O:1", kind="order", key="1", title="Order 1")
HELD = {it.id: it for it in (PAGE, ORDER)}


def said(report: str) -> list[tuple[str, str]]:
    return [(pair.sentence, pair.source) for pair in cited_sentences(report, HELD).pairs]


def test_each_sentence_stands_once_for_each_of_its_sources_without_marks() -> None:
    report = "Cedar lasts [1][2]. Pine rots. Oak is dear [2].\n\n[1],https://a.example/x\n[2],https://b.example/y\n"
    assert said(report) == [
        ("Cedar lasts.", "W:aaaaaaaa"),
        ("Cedar lasts.", "https://b.example/y"),
        ("Oak is dear.", "https://b.example/y"),
    ]


def test_a_source_that_comes_to_nothing_is_counted_and_no_pair() -> None:
    found = cited_sentences("Cedar lasts [1]. Oak too [2].\n\n[1],https://a.example/x\n[2],\n", HELD)
    assert [pair.sentence for pair in found.pairs] == ["Cedar lasts."]
    assert found.unresolved == 1


def test_orders_are_no_pages() -> None:
    assert said("You bought one [O:1]. It lasts [W:aaaaaaaa].") == [("It lasts.", "W:aaaaaaaa")]


def test_a_row_is_told_below_the_head_of_its_table() -> None:
    report = "| Wood | Years |\n|---|---|\n| Cedar | 20 [W:aaaaaaaa] |\n"
    assert said(report) == [("| Wood | Years |\n| Cedar | 20 |", "W:aaaaaaaa")]


def test_chinese_sentences_are_cut_at_their_own_stops() -> None:
    report = "雪松耐用[1]。松木会腐烂[2]。\n\n[1] https://a.example/x\n[2] https://b.example/y\n"
    assert said(report) == [("雪松耐用。", "W:aaaaaaaa"), ("松木会腐烂。", "https://b.example/y")]


def test_headings_and_marks_alone_are_no_sentences() -> None:
    assert said("## Woods [W:aaaaaaaa]\n\n[W:aaaaaaaa]\n") == []
