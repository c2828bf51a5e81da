"""What pages answer, and what may be said of those that do not."""

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from drretail.llm.offline.shopper.policy import shop
from drretail.prompts import tagged
from drretail.records.base import canonical_json

BRUSHES = "Pet grooming brush: slicker, rake or glove"
ROW = "Double coat (husky, golden): undercoat rake with rounded teeth, twice a week."
QUERY = "I need a pet grooming brush, and I want to know which brush suits a double coat."


def report_on(text: str, query: str = QUERY) -> str:
    """The report when the web brought one page with this text, and the shop nothing."""
    found = {"results": [{"evidence": "W:aa", "title": BRUSHES, "url": "https://a.example/b", "snippet": text}]}
    calls = [{"name": "web_search", "args": {"query": query}, "id": "1"}]
    messages = [
        HumanMessage("\n".join([tagged("query", query), tagged("stop", "The limit is reached.")])),
        AIMessage("", tool_calls=calls),
        ToolMessage(canonical_json(found), tool_call_id="1"),
    ]
    return shop(messages, []).text


def test_a_row_of_a_list_answers_the_question_its_label_is_about() -> None:
    assert "undercoat rake with rounded teeth, twice a week [W:aa]" in report_on(f"We tested a lot. {ROW}")


def test_a_row_about_something_else_answers_nothing() -> None:
    report = report_on("Short coat (beagle, boxer): rubber brush or glove, once a week.")
    assert "[W:aa]" not in report


def test_only_what_was_read_is_said_to_lack_the_answer() -> None:
    report = report_on("A brush lasts for years when it is kept dry.")
    assert "Nothing that I read on the web says which brush suits a double coat." in report
    assert "No page" not in report


def test_a_sentence_on_the_subject_without_a_frequency_does_not_answer_how_often() -> None:
    query = "I need a pet grooming brush. How often does a grooming brush need cleaning?"
    open_question = "Nothing that I read on the web answers “How often does a grooming brush need cleaning?”"
    assert open_question in report_on("Cleaning a grooming brush needs hot water and soap.", query)
    assert open_question not in report_on("A grooming brush needs cleaning every two weeks.", query)


def test_a_thing_of_which_only_a_part_of_the_name_was_searched_for_was_not_searched_for() -> None:
    found = {"results": [{"evidence": "W:aa", "title": "Polish", "url": "https://a.example/b", "snippet": "Nice."}]}
    hits = {"hits": [{"evidence": "P:B1", "product_id": "B1", "title": "Nail Files", "average_rating": 4.0}]}
    calls = [
        {"name": "web_search", "args": {"query": "how to prepare nails"}, "id": "1"},
        {"name": "product_catalog_search", "args": {"query": "nail files"}, "id": "2"},
    ]
    messages = [
        HumanMessage("\n".join([tagged("query", "I need nail files"), tagged("stop", "The limit is reached.")])),
        AIMessage("", tool_calls=calls),
        ToolMessage(canonical_json(found), tool_call_id="1"),
        ToolMessage(canonical_json(hits), tool_call_id="2"),
    ]
    report = shop(messages, []).text
    assert "What guides say about nail files: I have not searched the web for that." in report
    assert "brought nothing on them" not in report
