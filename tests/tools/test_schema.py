from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Le

from drretail.env.session import Session
from drretail.tools.schema import read_schema
from drretail.tools.tool import ToolResult


def example(
    session: Session,
    name: str,
    size: Literal["s", "m"] = "m",
    count: Annotated[int, Ge(1), Le(9)] | None = None,
    *,
    hidden: int = 0,
) -> ToolResult:
    """Does something
    over two lines.

    And more.

    Args:
        name: What it is called,
            e.g. "x".
        size: How large.
        count: How many.

    Returns:
        Something
        good.
    """
    raise NotImplementedError


def test_the_schema_comes_from_signature_and_docstring() -> None:
    schema = read_schema(example)
    assert schema.description == "Does something over two lines.\n\nAnd more.\n\nReturns: Something good."
    assert schema.as_json() == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": 'What it is called, e.g. "x".'},
            "size": {"type": "string", "description": "How large.", "enum": ["s", "m"], "default": "m"},
            "count": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def undescribed(session: Session, name: str) -> ToolResult:
    """Does something."""
    raise NotImplementedError


def renamed(session: Session, name: str) -> ToolResult:
    """Does something.

    Args:
        name: A name.
        title: Gone.
    """
    raise NotImplementedError


def untyped(session: Session, name) -> ToolResult:  # pyright: ignore -- the mistake
    """Does something.

    Args:
        name: A name.
    """
    raise NotImplementedError


def either(session: Session, name: str | int) -> ToolResult:
    """Does something.

    Args:
        name: A name.
    """
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "message"),
    [(undescribed, "name"), (renamed, "title"), (untyped, "has no type"), (either, "not one type")],
)
def test_a_function_that_says_too_little_never_reaches_a_model(function: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_schema(function)
