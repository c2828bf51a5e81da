"""``experiment.toml``: the options of a run in a file, by their names in Python.

world = "w"
queries = "dev.jsonl"
agents = ["react", "hybrid_react"]
to = "exp"
limits = {tool_turns = 5}
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING
from pathlib import Path
from textwrap import fill
from typing import Any, cast, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from drretail.api.option import DeclaredOption, check_bounds, declared_options, python_help
from drretail.api.options.run import RunOptions
from drretail.api.options.shared import FileAddress
from drretail.errors import UserError, file_error, nearest_names, quoted, suggestion, without_logins
from drretail.plugins import code_in

HEADER = "# drretail run experiment.toml\n# Paths are relative to this file's folder.\n"


def read_experiment(
    path: str | Path, record: type = RunOptions, *, trust: bool = False, given: Collection[str] = ()
) -> dict[str, Any]:
    """The options of a file by name, as arguments for ``run``. Relative paths are joined to the file's folder.

    Names that are no paths (``scripted:FILE``, ``cmd:./agent``, ``module:attribute``) are left as they are. Whoever
    wrote the file may be a stranger: without ``trust`` it may name no code, and no key is sent to its addresses. What
    it has for the options ``given`` is not used. Raises UserError, with the line, for invalid TOML, an unknown option,
    or a value of the wrong type.
    """
    from drretail.experiments.experiment import LABELS
    from drretail.parsing import parse_toml

    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        tables = parse_toml(text)
    except FileNotFoundError:
        raise UserError(
            f"There is no file {str(path)!r}: name a file of options, such as exp/options/….toml of an earlier run."
        ) from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder: name a file of options, such as experiment.toml.") from None
    except UnicodeDecodeError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except ValueError as problem:
        hint = " Queries go with --queries." if path.suffix == ".jsonl" else ""
        raise UserError(f"{path} is not valid TOML: {problem}.{hint}") from problem
    declared = {option.name: option for option in declared_options(record) if option.option.in_file is not None}
    values: dict[str, Any] = {}
    for name, value in tables.items():
        if name == LABELS:
            continue
        # No line number if the file spells the option's name differently, such as with an escape.
        match = re.search(rf"^\s*\[?\[?[\"']?{re.escape(name)}[\"']?\s*[\].=]", text, re.MULTILINE)
        where = str(path) if match is None else f"{path}, line {text.count(chr(10), 0, match.end()) + 1}"
        option = declared.get(name)
        if option is None:
            hint = suggestion(nearest_names(name, declared), declared)
            raise UserError(f"{where}: there is no option {quoted(name)}. {hint}")
        try:
            values[name] = _value(option, value, path.parent)
            check_bounds(option, values[name])
        except UserError as problem:
            raise UserError(f"{where}: {problem}") from problem
    if trust:
        return values
    if code := code_named({name: value for name, value in values.items() if name == "vary" or name not in given}):
        raise UserError(
            f"{path} names code or who is asked: {', '.join(code)}. Read it first; --trust (in Python trust=True) "
            "allows it, and so does naming it on the command line."
        )
    if "base_url" in values:
        values["base_url"] = tuple(map(FileAddress, values["base_url"]))
    return values


def code_named(values: Mapping[str, Any]) -> list[str]:
    """The modules and commands that a run with these options would start, and the addresses that it would ask for
    answers and pages. None is imported.
    """
    from drretail.agents.registry import AGENTS, is_external, split_name
    from drretail.env.web.base import WEBS
    from drretail.llm.providers import provider_names

    models = values.get("model") or ()
    specs = list(models.values()) if isinstance(models, Mapping) else [re.sub("^[^=:]*=", "", spec) for spec in models]
    places = [split_name(agent)[1] for agent in values.get("agents") or ()]
    outside, web = [*filter(is_external, places)], str(values.get("web", ""))
    return [
        *outside,
        *([web] if "://" in web else []),
        *code_in([place for place in places if place not in outside], AGENTS.names()),
        *code_in(map(str, specs), provider_names()),
        *code_in([web], WEBS.names()),
        *code_in(values.get("vary") or (), ()),
    ]


def overridden_options(written: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a file, with those given in their place. A given table replaces only the entries that it has."""
    values = {**written, **changes}
    for name, value in changes.items():
        before = written.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            values[name] = {**before, **value}
    return values


def chosen(options: Any) -> Iterator[tuple[DeclaredOption, Any]]:
    """The options that a file can hold and that are not at their defaults, with their values."""
    for option in declared_options(type(options)):
        value = getattr(options, option.name)
        is_default = option.default is not MISSING and value == option.default
        if option.option.in_file is not None and value is not None and not is_default:
            yield option, value


def entry(option: DeclaredOption, value: Any) -> str:
    """The option's line below its help, without logins in addresses. Raises UserError for a value that only Python can
    give.
    """
    text = python_help(option, "false")
    comment = fill(text, 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    return f"{comment}\n{option.name} = {without_logins(toml(option.name, value))}\n"


TABLE_NEEDED = "Input should be a valid table, such as {name = 1}"
"""Python's dictionary, as TOML calls it."""


def _value(option: DeclaredOption, value: Any, folder: Path) -> Any:
    """The value that Python takes; a relative path is joined to the folder. Raises UserError for another type."""
    problems: list[str] = []
    for kind in option.option.in_file or (option.kind,):
        is_list = get_origin(kind) is list
        item: Any = get_args(kind)[0] if is_list else kind
        written = value if is_list and isinstance(value, list) else [value]  # one value stands for a list of one
        adapter = TypeAdapter[Any](str if item is Path else item)
        try:
            read = [adapter.validate_python(item, strict=True) for item in cast(list[Any], written)]
        except ValidationError as problem:
            first = problem.errors()[0]
            problems.append(TABLE_NEEDED if first["type"] == "dict_type" else first["msg"])
            continue
        joined = [_joined(option, item, each, folder) for each in read]
        return tuple(joined) if is_list else joined[0]
    raise UserError(f"{option.name} is {toml(option.name, value)}: {'; or: '.join(dict.fromkeys(problems))}.")


def _joined(option: DeclaredOption, kind: Any, value: Any, folder: Path) -> Any:
    is_path = option.option.is_path
    if kind is Path or (is_path is not None and isinstance(value, str) and is_path(value)):
        joined = folder / Path(value).expanduser()
        return joined if kind is Path else str(joined)
    return value


def toml(name: str, value: Any) -> str:
    """The value as TOML; ``name`` is that of its option, for the error message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON allows it, TOML does not
    if isinstance(value, Mapping):
        keys = (key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml(name, key) for key in value)
        entries = (f"{key} = {toml(name, item)}" for key, item in zip(keys, value.values(), strict=True))
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, list | tuple | set | frozenset):
        return "[" + ", ".join(toml(name, item) for item in value) + "]"
    raise UserError(f"{name} is {quoted(value)}, which a file cannot hold: only Python can give it.")
