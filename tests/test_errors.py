import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from drretail.errors import (
    NotFound,
    UnknownName,
    describe_error,
    install_line,
    quoted,
    raised_at,
    shortened,
    traceback_of,
)

LONG = "x" * 100_000


def caught(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except ValueError as problem:
        return problem
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("name", [LONG, "\x1b[31mred", "a\x00b\nc", "\u202e", "\ud800"])
def test_a_name_that_nothing_goes_by_is_repeated_short_and_harmless(name: str) -> None:
    for problem in (UnknownName("tool", name, ["calculator"]), NotFound("product", name)):
        assert str(problem).isprintable()
        assert len(str(problem)) < 250


def test_a_long_text_keeps_its_beginning_and_its_end_and_what_is_none_is_named_by_its_type() -> None:
    assert shortened("short") == "short"
    assert shortened("a" * 500 + "z" * 500, 40) == f"{'a' * 30} … 960 more characters … {'z' * 10}"
    assert quoted(10**5000) == "of type int"


def test_an_error_is_placed_in_the_code_of_whoever_wrote_it() -> None:
    inner = caught(lambda: int("seven"))
    assert "test_errors.py, line " in raised_at(inner)
    assert describe_error(inner).startswith("ValueError: invalid literal for int() with base 10: 'seven' (")
    assert 'int("seven")' in traceback_of(inner)
    assert describe_error(ValueError("never raised.")) == "ValueError: never raised"
    assert describe_error(ValueError("\ud800")) == "ValueError: \\ud800"
    library = caught(lambda: pytest.importorskip("json").loads("{"))
    assert "test_errors.py, line " in raised_at(library)


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "'drretail[openai]'"),
        ({"url": "file://{}/drretail-2.0-py3-none-any.whl", "archive_info": {}}, "'drretail[openai]'"),
        ({"url": "file://{}", "dir_info": {"editable": True}}, "-e '.[openai]'"),
        ({"url": "file://{}", "dir_info": {}}, "'.[openai]'"),
        ({"url": "file://{}/shop%20of%20mine", "dir_info": {"editable": True}}, "-e '{}/shop of mine[openai]'"),
        ({"url": "file://{}/gone", "dir_info": {"editable": True}}, "'drretail[openai]'"),
    ],
    ids=["an index", "a wheel", "a checkout", "built from one", "a checkout elsewhere", "a checkout that is gone"],
)
def test_an_extra_is_installed_from_where_drretail_was(
    origin: dict[str, object] | None, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path, tmp_path / "shop of mine"):
        folder.mkdir(exist_ok=True)
        (folder / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    recorded = None if origin is None else json.dumps(origin).replace("{}", str(tmp_path), 1)
    distribution = Mock(return_value=Mock(read_text=Mock(return_value=recorded)))
    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    assert install_line("openai") == f"pip install {line.replace('{}', str(tmp_path))}"
