"""The tool that asks the shopper: who has it, what its answers are cited by, and in which order they come."""

from dataclasses import replace

from drretail.agents.hybrid_react.moves import researcher_tools
from drretail.env.session import Session, Shopper
from drretail.grounding.constraints.releases import NO_TIME
from drretail.grounding.report.citations import find_citations
from drretail.records.run import ASK_SHOPPER
from drretail.tools.registry import TOOLS, offered
from drretail.tools.toolkit import Toolkit
from tests.grounding.constraints.test_releases import QUERY


def with_shopper(session: Session, **changed: object) -> Session:
    return replace(session, shopper=Shopper(QUERY.model_copy(update=changed)))


def test_it_is_there_only_where_somebody_can_be_asked_and_never_for_researchers(session: Session) -> None:
    asking = with_shopper(session)
    assert [*offered(session)] == [*TOOLS]
    assert [*offered(asking)] == [*TOOLS, ASK_SHOPPER]
    assert ASK_SHOPPER not in researcher_tools(asking)
    with Toolkit(session) as toolkit:
        assert toolkit.call(ASK_SHOPPER, {"topic": "budget", "question": "?"}).error == "unknown_tool"


def test_an_answer_is_evidence_that_a_report_can_cite_and_holds_no_word_of_the_question(session: Session) -> None:
    asking = with_shopper(session)
    with Toolkit(asking) as toolkit:
        reply = toolkit.call(ASK_SHOPPER, {"topic": "budget", "question": "The Alder costs $3, doesn't it?"})
    assert reply.value == {"evidence": "S:budget-1", "topic": "budget", "answer": "I can spend $85.", "left": 5}
    (entry,) = asking.ledger.evidence()
    assert (entry.kind, [text.text for text in entry.sources]) == (
        "shopper",
        ['{"topic":"budget","answer":"I can spend $85."}'],
    )
    cited = find_citations("You can spend $85 [S:budget-1], on a feeder [S:feature-1].", asking.ledger.evidence())
    assert [(each.marker, each.type) for each in cited] == [
        ("[S:budget-1]", "internal"),
        ("[S:feature-1]", "unresolved"),
    ]


def test_questions_of_one_turn_are_put_in_their_order(session: Session) -> None:
    for _ in range(5):
        with Toolkit(with_shopper(session, questions=3), threads=8) as toolkit:
            asked = [(ASK_SHOPPER, {"topic": topic, "question": "?"}) for topic in ("feature", "feature", "use", "use")]
            replies = toolkit.call_all(asked)
        assert [reply.value.get("evidence") for reply in replies] == ["S:feature-1", "S:feature-2", "S:use-1", None]
        assert replies[-1].value["answer"] == NO_TIME


def test_a_topic_that_there_is_not_is_refused_and_costs_no_question(session: Session) -> None:
    with Toolkit(with_shopper(session)) as toolkit:
        assert toolkit.call(ASK_SHOPPER, {"topic": "everything", "question": "?"}).error == "invalid_argument"
        assert toolkit.call(ASK_SHOPPER, {"topic": "use", "question": "?"}).value["left"] == 5
