"""A web of one's own that misbehaves is told by its name, and never replaced by another in silence."""

from typing import Any

import pytest

from drretail.env.web.registry import WebOptions, open_web
from drretail.errors import UserError


def none(argument: str | None, options: WebOptions) -> Any:
    del argument, options


def boom(argument: str | None, options: WebOptions) -> Any:
    del argument, options
    raise RuntimeError("no such thing")


def test_an_opener_that_gives_nothing_is_named() -> None:
    with pytest.raises(UserError, match="gave NoneType, which has no search and fetch"):
        open_web(f"{__name__}:none")


def test_an_opener_that_fails_is_named_with_its_reason() -> None:
    with pytest.raises(
        UserError, match=r"boom' cannot be opened: RuntimeError: no such thing \(.*test_plugin_faults.py, line \d+\)"
    ):
        open_web(f"{__name__}:boom")


def test_a_colon_without_a_file_is_no_file() -> None:
    with pytest.raises(UserError, match="names nothing behind the colon"):
        open_web("sandbox:")
