import pytest

from drretail.cli.entry import sentence_of
from drretail.errors import NotFound, ToolError, ToolErrorType


@pytest.mark.parametrize("kind", ["unavailable", "timeout"])
def test_a_server_that_fails_outside_of_a_tool_is_one_sentence(kind: ToolErrorType) -> None:
    sentence = sentence_of(ToolError(kind, "The shop's database (MongoDB at host:1) cannot be reached."))
    assert sentence is not None
    assert sentence.startswith("The shop's database (MongoDB at host:1) cannot be reached. Run the same command again")


def test_an_id_that_nobody_looked_after_is_a_bug_of_ours() -> None:
    assert sentence_of(NotFound("product", "B1")) is None
