"""The options of a run in a file: read, refused with the line, and written. Also tests research.py and run.py."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drretail import read_experiment
from drretail.api.options.experiment_file import HEADER, chosen, entry, overridden_options
from drretail.api.options.research import LIMIT_NAMES, values_of_flags
from drretail.api.options.run import RunOptions
from drretail.api.systems import read_limits
from drretail.errors import UnknownName, UserError
from drretail.records.run import Limits


def written(folder: Path, text: str) -> Path:
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_relative_paths_are_joined_to_the_files_folder_and_a_missing_file_is_said(tmp_path: Path) -> None:
    lines = ['queries = "q.jsonl"', 'to = "/exp"', 'world = "w"', 'model = "scripted:script.toml"', 'agents = "react"']
    assert read_experiment(written(tmp_path, "\n".join(lines))) == {
        "queries": tmp_path / "q.jsonl",
        "to": Path("/exp"),
        "world": str(tmp_path / "w"),
        "model": ("scripted:script.toml",),
        "agents": ("react",),
    }

    with pytest.raises(UserError, match="name a file of options"):
        read_experiment(tmp_path / "none.toml")


def test_what_is_wrong_is_answered_with_its_line(tmp_path: Path) -> None:
    for text, problem in (
        ('seed = "1"\nquerys = "q.jsonl"', "line 2: there is no option 'querys'. Did you mean queries"),
        ('user = "AE"', "line 1: there is no option 'user'"),  # for questions, which only Python takes
        ("\nrepeats = 2.5", "line 2: repeats is 2.5: Input should be a valid integer"),
        ("repeats = 0", "line 1: repeats is 0: it has to be at least 1"),
        ('vary = "scope"', 'line 1: vary is "scope": Input should be a valid table, such as {name = 1}'),
        ("agents = [1]", "line 1: agents is \\[1\\]: Input should be a valid string"),
        ("repeats = ", "is not valid TOML"),
    ):
        with pytest.raises(UserError, match=problem):
            read_experiment(written(tmp_path, text))


def test_a_flag_replaces_the_files_value_and_of_a_table_the_entries_it_names() -> None:
    held = {"repeats": 2, "seed": "7", "limits": {"tool_turns": 3, "tokens": 9}}
    assert overridden_options(held, {"repeats": 4, "limits": {"tokens": 5}}) == {
        "repeats": 4,
        "seed": "7",
        "limits": {"tool_turns": 3, "tokens": 5},
    }


texts = st.text(st.characters(codec="utf-8"), max_size=20)
OPTIONS = st.builds(
    RunOptions,
    world=texts.map(lambda text: str(Path(f"/{text}".replace("\0", "")))),  # a path comes back without its last slash
    queries=st.none() | texts.map(lambda text: Path("/queries") / text.replace("\0", "")),
    agents=st.none() | st.lists(texts).map(tuple),
    model=st.none() | st.lists(texts).map(tuple) | st.dictionaries(texts, texts),
    only=st.none() | texts | st.integers(),
    repeats=st.integers(min_value=1, max_value=10**9),
    max_dollars=st.none() | st.floats(min_value=0.0001, allow_infinity=False),
    baselines=st.booleans(),
    vary=st.none() | st.dictionaries(texts, texts | st.integers() | st.lists(texts)),
    cross=st.booleans(),
    limits=st.none() | st.dictionaries(st.sampled_from(LIMIT_NAMES), st.integers(1, 99)),
    title=st.none() | texts,
)


@given(options=OPTIONS)
@example(options=RunOptions(model={"\x7f": "\x7f"}))
def test_written_options_are_read_as_they_were(tmp_path_factory: pytest.TempPathFactory, options: RunOptions) -> None:
    text = "\n".join([HEADER, *(entry(option, value) for option, value in chosen(options))])
    assert RunOptions(**read_experiment(written(tmp_path_factory.mktemp("file"), text), trust=True)) == options


def test_limits_are_those_of_the_record_and_a_wrong_one_is_answered_with_the_nearest() -> None:
    assert set(LIMIT_NAMES) == set(Limits.model_fields)
    given = {"tool_turns": 5, "dollars": 0.5, "tokens": 900}
    assert read_limits(given) == Limits(tool_turns=5, dollars=0.5, tokens=900)
    with pytest.raises(UnknownName, match=r"There is no limit 'tool_turn'\. Did you mean tool_turns"):
        read_limits({"tool_turn": 3})


@pytest.mark.parametrize("text", ["information", "=task", "information="])
def test_a_condition_of_another_form_says_how_one_is_written(text: str) -> None:
    assert values_of_flags(["information=task,context", "information=tools"]) == {
        "information": ("task", "context", "tools")
    }
    with pytest.raises(UserError, match="write NAME=VALUE,…, such as"):
        values_of_flags([text])
