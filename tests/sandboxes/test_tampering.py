"""Whatever is changed in a sandbox after it was built is found by its sums, with the file that it was done to."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drretail.api.worlds import open_world
from drretail.env.web.sealed import GOLD_FILE, SANDBOX_FILE, read_sandbox, task_folder
from drretail.errors import UserError
from drretail.experiment import read_gold_file
from drretail.files import read_json, read_lines, write_json, write_lines
from drretail.querygen.shipped import shipped_queries
from drretail.sandboxes.check import changed_files, check_sandbox
from drretail.sandboxes.folder import keep_passing, seal, staged, sums_of, write_gold
from drretail.sandboxes.sizes import BY_CHARACTERS, read_sizes
from drretail.sandboxes.synthetic.build import build_offline
from tests.build import files
from tests.cli.commands import Command

QUERIES = shipped_queries("dev")[:2]
MOST_LINES = 3
"""Of a file of lines, of which fields are changed: all lines are alike."""
Tampering = tuple[str, str, Callable[[Path], object]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "s"
    with open_world("demo") as world:
        build_offline(world, QUERIES, folder, read_sizes("16k,32k"), "7", BY_CHARACTERS)
    return folder


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing in it changed, in each way that its kind allows, at each place of it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f".{name} removed", {key: each for key, each in value.items() if key != name}
            yield from ((f".{name}{where}", {**value, name: other}) for where, other in changes(inner))
        yield " added", {**value, "added": 1}
    elif isinstance(value, list):
        yield " emptied" if value else " filled", [] if value else ["x"]
        if value != value[::-1]:
            yield " turned round", value[::-1]
        yield from ((f"[0]{where}", [other, *value[1:]]) for first in value[:1] for where, other in changes(first))
    elif isinstance(value, bool) or value is None:
        yield " turned", not value
    elif isinstance(value, int | float):
        yield " raised", value + 1
    else:
        yield " changed", f"{value[:-1]}{'y' if value[-1:] == 'x' else 'x'}"
        yield " emptied" if value else " filled", "" if value else "x"


def tamperings(folder: Path) -> Iterator[Tampering]:
    """Every file removed, emptied, exchanged with one of its kind; every field of every kind of file changed."""
    contents = {Path(name): content for name, content in files(folder).items()}
    for name, content in contents.items():
        if name.name != SANDBOX_FILE:
            yield str(name), "removed", lambda copy, name=name: (copy / name).unlink()
        more = content + b" "
        yield str(name), "a byte more", lambda copy, name=name, more=more: (copy / name).write_bytes(more)
        yield f"{name}.bak", "added", lambda copy, name=name: shutil.copy(copy / name, copy / f"{name}.bak")
        alike = [each for each in contents if each.name == name.name and contents[each] != content]
        for other in alike[-1:]:
            yield str(name), "exchanged", lambda copy, name=name, other=other: exchange(copy / name, copy / other)
        if name.suffix == ".json":
            for what, value in changes(read_json(folder / name)):
                yield str(name), what, lambda copy, name=name, value=value: write_json(copy / name, value)
        elif ".jsonl" in name.suffixes:
            lines = read_lines(folder / name)
            kinds = [("a line removed", lines[1:]), ("turned round", lines[::-1]), ("a line twice", [*lines, lines[0]])]
            for at, line in enumerate(lines[:MOST_LINES]):
                for what, value in changes(json.loads(line)):
                    kinds.append((f"line {at}{what}", [*lines[:at], json.dumps(value), *lines[at + 1 :]]))
            for what, kept in kinds:
                if kept != lines:
                    yield str(name), what, lambda copy, name=name, kept=kept: write_lines(copy / name, kept)


def exchange(one: Path, other: Path) -> None:
    a, b = one.read_bytes(), other.read_bytes()
    one.write_bytes(b)
    other.write_bytes(a)


def test_every_change_of_every_file_and_field_is_found(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "s")
    assert not [*changed_files(copy, read_sandbox(copy))]
    before = files(copy)
    found, missed = 0, list[str]()
    for name, what, tamper in tamperings(built):
        tamper(copy)
        try:
            is_found = name in dict(changed_files(copy, read_sandbox(copy)))
        except UserError as problem:  # sandbox.json is none any more
            is_found = name in str(problem)
        # A space behind its JSON changes nothing that a description says.
        harmless = name == SANDBOX_FILE and what == "a byte more"
        found += is_found
        missed += [] if is_found or harmless else [f"{name} {what}"]
        after = files(copy)
        for added in after.keys() - before.keys():
            (copy / added).unlink()
        for changed in (each for each, content in before.items() if after.get(each) != content):
            (copy / changed).write_bytes(before[changed])
    assert not missed
    assert found > 300  # of two tasks


def test_the_check_names_the_task_and_goes_on_after_a_file_that_is_gone(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "s")
    first, second = (query.query_id for query in QUERIES)
    (task_folder(copy, first) / "labels.jsonl").unlink()
    write_json(copy / SANDBOX_FILE, {**read_json(copy / SANDBOX_FILE), "seed": "8"})
    found = check_sandbox(copy)
    assert f"tasks/{first}/labels.jsonl has been removed since the sandbox was built." in found[first]
    assert any("not whole" in fault for fault in found[first])
    assert found[second] == [f"{SANDBOX_FILE} has been changed since it was built."]


def test_a_user_that_the_shop_lacks_is_one_sentence(built: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(built, tmp_path / "s")
    queries = [query.model_copy(update={"user_id": "NOBODY"}) for query in QUERIES]
    write_lines(copy / "queries.jsonl", (query.as_line() for query in queries))
    with open_world("demo") as world:
        found = check_sandbox(copy, world)
    assert all("its user 'NOBODY' is none of the shop's." in faults for faults in found.values())


def test_gold_that_is_written_later_and_a_copy_of_what_passes_have_their_sums(built: Path, tmp_path: Path) -> None:
    copy, to = shutil.copytree(built, tmp_path / "s"), tmp_path / "kept"
    query_id = QUERIES[0].query_id
    gold = read_gold_file(task_folder(copy, query_id) / GOLD_FILE)
    write_gold(copy, query_id, gold.model_copy(update={"sandbox": gold.sandbox.model_copy(update={"documents": ()})}))
    assert not [*changed_files(copy, read_sandbox(copy))]
    keep_passing(copy, to, [query_id])
    assert check_sandbox(to) == {query_id: []}
    seal(to, read_sandbox(to).model_copy(update={"sums": None}), {})
    write_json(to / SANDBOX_FILE, {k: v for k, v in read_json(to / SANDBOX_FILE).items() if not k.endswith("um")})
    assert [fault for _, fault in changed_files(to, read_sandbox(to))]
    assert sums_of(to)


def test_what_a_killed_build_leaves_is_no_hidden_folder_and_goes_with_the_next(tmp_path: Path) -> None:
    to = tmp_path / "s"
    room = tmp_path / "s.unfinished"
    (room / "s" / "tasks").mkdir(parents=True)  # as a kill leaves it
    with staged(to) as folder:
        assert [path.name for path in tmp_path.iterdir()] == ["s.unfinished"]
        assert not (folder / "tasks").exists()
        with pytest.raises(UserError, match="Another process"), staged(to):
            pass
        (folder / "x").write_text("x")
    assert [path.name for path in tmp_path.rglob("*")] == ["s", "x"]
    with pytest.raises(RuntimeError), staged(tmp_path / "t") as folder:
        raise RuntimeError
    assert not [*tmp_path.glob("*.unfinished")]


def test_a_whole_sandbox_that_is_built_again_says_so(tmp_path: Path, drretail: Command) -> None:
    asked = ("sandbox", "build", "--to", "s", "--n", "1", "--sizes", "16k")
    assert drretail(*asked).returncode == 0
    before = files(tmp_path / "s")
    again = drretail(*asked)
    assert again.returncode == 0, again.stderr
    assert "s was built so before, and is whole: nothing was done." in again.stderr
    assert files(tmp_path / "s") == before
    other = drretail(*asked, "--seed", "other")
    assert other.returncode == 2
    assert "another world, seed, size or query" in other.stderr
    path = next((tmp_path / "s").rglob("pages.jsonl.gz"))
    path.write_bytes(path.read_bytes() + b" ")
    broken = drretail(*asked)
    assert broken.returncode == 2
    assert "is not whole (drretail sandbox check s)" in " ".join(broken.stderr.split())
