"""offline:shopper as the roles of dr3: it sends others, searches twice at most, and quotes files word for word."""

from drretail.offline.shopper.conversation import WEB, Lookup, Situation
from drretail.offline.shopper.errands import read, retrieved, sent_out

PAGE = {"evidence": "W:aaaaaaaa", "title": "Cleaning", "snippet": "Clean a bird feeder every two weeks."}
BOTH = frozenset({"search_sandbox", "read_file"})


def searched(query: str, *pages: dict[str, str]) -> Lookup:
    return Lookup(WEB, {"query": query}, {"shown": len(pages), "results": list(pages)})


def retriever(*lookups: Lookup) -> Situation:
    return Situation("", tools=frozenset({WEB}), lookups=lookups)


def test_a_file_is_quoted_by_the_lines_that_share_most_with_the_question() -> None:
    found = read("When was the tube feeder bought?", "date,product\n2022-05-01,tube feeder\n2022-06-02,rain gauge")
    assert (found.found, found.quotes) == (True, ("2022-05-01,tube feeder",))
    assert not read("When was the kettle bought?", "rain gauge").found


def test_the_second_search_is_of_the_words_that_no_page_held() -> None:
    question = "How often to clean a bird feeder in winter?"
    assert retrieved(question, retriever())[1] == [(WEB, {"query": question})]
    (call,) = retrieved(question, retriever(searched(question, PAGE)))[1]
    assert call == (WEB, {"query": "winter"})


def test_then_it_answers_with_sentences_of_the_pages() -> None:
    question = "How often to clean a bird feeder in winter?"
    answer, calls = retrieved(question, retriever(searched(question, PAGE), searched("winter")))
    assert (answer, calls) == ("Clean a bird feeder every two weeks. [W:aaaaaaaa]", [])
    assert retrieved(question, retriever(searched(question), searched("winter")))[0].startswith("No page")


def test_every_file_is_asked_about_once_in_the_first_turn() -> None:
    situation = Situation("Which bird feeder?", tools=frozenset({"product_catalog_search"}), errands=BOTH)
    _, calls = sent_out(situation, "orders.csv: text, 9 characters\nreceipt.png: image")
    assert [args["file"] for name, args in calls if name == "read_file"] == ["orders.csv", "receipt.png"]
    assert "web_search" not in {name for name, _ in calls}


def test_what_could_not_be_read_is_said() -> None:
    lookups = (
        Lookup("read_file", {"file": "receipt.png"}, {"file": "receipt.png", "state": "unverifiable"}),
        Lookup(
            "read_file",
            {"file": "orders.csv"},
            {"evidence": "F:orders.csv", "file": "orders.csv", "found": True, "answers": [{"quotes": ["a [b]"]}]},
        ),
    )
    report, calls = sent_out(Situation("Which kettle?", errands=BOTH, lookups=lookups, declares=True), "")
    assert calls == []
    assert "I could not read receipt.png" in report
    assert "- orders.csv has: “a (b)” [F:orders.csv]" in report
    assert report.index("F:orders.csv") < report.index("```picks")
