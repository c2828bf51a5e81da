"""Whatever is changed in a sandbox after it was built is found by its sums, with the file that it was done to."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drretail.addons.sandboxes.check import changed_files, check_sandbox
from drretail.addons.sandboxes.folder import seal, sums_of, write_gold
from drretail.env.web.sandbox import GOLD_FILE, SANDBOX_FILE, read_sandbox, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import read_gold_file
from drretail.files import read_json, write_json, write_lines
from tests.addons.sandboxes.conftest import QUERIES
from tests.build import files
from tests.cli.commands import Command


def changes(value: Any) -> Iterator[Any]:
    """The description of a sandbox with one thing removed, added or changed, at each place of it."""
    if isinstance(value, dict):
        yield {**value, "added": 1}
        for name, inner in value.items():
            yield {key: each for key, each in value.items() if key != name}
            yield from ({**value, name: other} for other in changes(inner))
    else:
        assert isinstance(value, str | int)
        yield f"{value[:-1]}{'y' if value[-1:] == 'x' else 'x'}" if isinstance(value, str) else value + 1
        yield type(value)()


def test_every_changed_field_of_the_description_is_found(small: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    assert not [*changed_files(copy, read_sandbox(copy))]
    for changed in changes(read_json(small / SANDBOX_FILE)):
        write_json(copy / SANDBOX_FILE, changed)
        try:
            assert SANDBOX_FILE in dict(changed_files(copy, read_sandbox(copy))), changed
        except UserError as problem:  # it describes no sandbox any more
            assert SANDBOX_FILE in str(problem)  # noqa: PT017 -- most changes are found by their sum


def test_every_file_that_is_changed_exchanged_removed_or_added_is_found(small: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    about, contents = read_sandbox(copy), files(copy)
    for name, content in contents.items():
        path = copy / name
        if path.name == SANDBOX_FILE:
            continue
        alike = [other for each, other in contents.items() if Path(each).name == path.name and other != content]
        for changed in (content + b" ", content[1:], *alike[-1:]):
            path.write_bytes(changed)
            assert [*changed_files(copy, about)] == [(name, f"{name} has been changed since the sandbox was built.")]
        added = path.rename(f"{path}.bak")
        assert dict(changed_files(copy, about)) == {
            name: f"{name} has been removed since the sandbox was built.",
            f"{name}.bak": f"{name}.bak has been added since the sandbox was built.",
        }
        added.unlink()
        path.write_bytes(content)


def test_the_check_names_the_task_and_goes_on_after_a_file_that_is_gone(small: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    first, second = (query.query_id for query in QUERIES)
    (task_folder(copy, first) / "labels.jsonl").unlink()
    write_json(copy / SANDBOX_FILE, {**read_json(copy / SANDBOX_FILE), "seed": "8"})
    found = check_sandbox(copy)
    assert f"tasks/{first}/labels.jsonl has been removed since the sandbox was built." in found[first]
    assert any("not whole" in fault for fault in found[first])
    assert found[second] == [f"{SANDBOX_FILE} has been changed since it was built."]


def test_a_user_that_the_shop_lacks_is_one_sentence(small: Path, world: World, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    queries = [query.model_copy(update={"user_id": "NOBODY"}) for query in QUERIES]
    write_lines(copy / "queries.jsonl", (query.as_line() for query in queries))
    found = check_sandbox(copy, world)
    assert all("its user 'NOBODY' is none of the shop's." in faults for faults in found.values())


def test_gold_that_is_written_later_has_its_sum(small: Path, tmp_path: Path) -> None:
    copy, query_id = shutil.copytree(small, tmp_path / "s"), QUERIES[0].query_id
    gold = read_gold_file(task_folder(copy, query_id) / GOLD_FILE)
    write_gold(copy, query_id, gold.model_copy(update={"sandbox": gold.sandbox.model_copy(update={"documents": ()})}))
    assert not [*changed_files(copy, read_sandbox(copy))]
    seal(copy, read_sandbox(copy).model_copy(update={"sums": None}), {})
    write_json(copy / SANDBOX_FILE, {k: v for k, v in read_json(copy / SANDBOX_FILE).items() if not k.endswith("um")})
    assert [fault for _, fault in changed_files(copy, read_sandbox(copy))]
    assert sums_of(copy)


def test_the_command_builds_for_drawn_users_and_says_when_that_is_done(tmp_path: Path, drretail: Command) -> None:
    other = ("sandbox", "build", "--to", "s", "--n", "1", "--sizes", "16k,8k,16k")
    asked = (*other, "--seed", "1")
    made = drretail(*asked)
    assert (made.returncode, made.stdout) == (0, "s: 1 query, in 8k, 16k.\n"), made.stderr
    before = files(tmp_path / "s")
    again = drretail(*asked)
    assert again.returncode == 0, again.stderr
    assert "s was built so before, and is whole: nothing was done." in again.stderr
    assert files(tmp_path / "s") == before
    path = next((tmp_path / "s").rglob("pages.jsonl.gz"))
    path.write_bytes(path.read_bytes() + b" ")
    for given, message in (
        ((*other, "--seed", "other"), "another world, seed, size or query"),
        (asked, "is not whole (drretail sandbox check s)"),
        ((*asked, "--web", "ofline"), "no web 'ofline'"),
    ):
        refused = drretail(*given)
        assert refused.returncode == 2
        assert message in " ".join(refused.stderr.split())
