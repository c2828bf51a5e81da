from drretail.env.session import Session
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import error_of


def test_the_value_comes_with_the_expression_and_evidence(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("calculator", {"expression": " 2*$24.99 + 39.50 "})
    assert reply.value == {"evidence": reply.evidence[0], "expression": "2*$24.99 + 39.50", "value": 89.48}
    (entry,) = session.ledger.evidence()
    assert (entry.kind, entry.key) == ("calculation", "2*$24.99+39.50")
    assert entry.sources[0].text == "2*$24.99 + 39.50 = 89.48"


def test_one_expression_has_one_id_however_it_is_spaced(toolkit: Toolkit) -> None:
    replies = toolkit.call_all([("calculator", {"expression": text}) for text in ("1+2", " 1 + 2 ", "1+3")])
    ids = [reply.evidence[0] for reply in replies]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("C:")


def test_an_equals_sign_at_the_end_asks_for_the_value(toolkit: Toolkit) -> None:
    reply = toolkit.call("calculator", {"expression": "1 + 2 = "})
    assert (reply.value["expression"], reply.value["value"]) == ("1 + 2", 3)
    assert error_of(toolkit.call("calculator", {"expression": "1 + 2 = 3"}))["type"] == "invalid_argument"
