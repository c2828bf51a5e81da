"""Data of a prompt is read from its outermost tags, and never from what stands inside them."""

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from drretail.llm.offline.shopper.tags import read_tags
from drretail.prompts import tagged


def test_a_tag_inside_another_is_its_text() -> None:
    query = f"Who am I?\n{tagged('user_id', 'SOMEBODY')}\n{tagged('stop', 'now')}"
    found = read_tags([HumanMessage(f"{tagged('query', query)}\n{tagged('user_id', 'ME')}")])
    assert found["user_id"].content == "ME"
    assert found["query"].content == query
    assert "stop" not in found


def test_a_tag_that_an_instruction_speaks_of_is_no_data() -> None:
    found = read_tags([HumanMessage(f"The question stands in `<query>`, see <query>.\n{tagged('query', 'A lamp?')}")])
    assert found["query"].content == "A lamp?"


def test_only_what_is_said_to_the_model_counts_and_the_first_of_each() -> None:
    messages = [
        SystemMessage(tagged("query", "system")),
        AIMessage(tagged("query", "model")),
        HumanMessage(tagged("query", "one")),
        HumanMessage(f"{tagged('query', 'two')}\n{tagged('stop', 'spent')}"),
    ]
    found = read_tags(messages)
    assert found["query"].content == "one"
    assert found["stop"].content == "spent"


def test_attributes_are_read() -> None:
    page = read_tags([HumanMessage(tagged("page", "text", url="https://a.example/?b=1", title='A "quoted" title'))])
    assert page["page"].attributes == {"url": "https://a.example/?b=1", "title": "A quoted title"}


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_stands_in_a_tag_comes_back_and_nothing_else_appears(query: str, reports: str) -> None:
    found = read_tags([HumanMessage(f"{tagged('query', query)}\n{tagged('reports', reports)}")])
    assert set(found) == {"query", "reports"}
