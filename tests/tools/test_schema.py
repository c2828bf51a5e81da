from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le

from drretail.env.session import Session
from drretail.records.run import NINE
from drretail.tools.registry import TOOLS
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


def test_an_argument_without_a_description_never_reaches_a_model() -> None:
    def forgotten(session: Session, name: str) -> ToolResult:
        """Does something."""
        raise NotImplementedError

    with pytest.raises(ValueError, match="name"):
        read_schema(forgotten)


def test_a_description_without_its_argument_never_reaches_a_model() -> None:
    def renamed(session: Session, name: str) -> ToolResult:
        """Does something.

        Args:
            name: A name.
            title: Gone.
        """
        raise NotImplementedError

    with pytest.raises(ValueError, match="title"):
        read_schema(renamed)


def test_an_argument_without_a_type_is_refused() -> None:
    def untyped(session: Session, name) -> ToolResult:  # pyright: ignore -- the mistake
        """Does something.

        Args:
            name: A name.
        """
        raise NotImplementedError

    with pytest.raises(ValueError, match="has no type"):
        read_schema(untyped)  # pyright: ignore


def test_an_argument_of_two_types_is_refused() -> None:
    def either(session: Session, name: str | int) -> ToolResult:
        """Does something.

        Args:
            name: A name.
        """
        raise NotImplementedError

    with pytest.raises(ValueError, match="not one type"):
        read_schema(either)


def test_readers_of_runs_know_the_tools_that_there_are() -> None:
    assert tuple(TOOLS) == NINE
