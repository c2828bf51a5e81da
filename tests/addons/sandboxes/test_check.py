"""What is noticed where somebody changed a sandbox."""

import shutil
from pathlib import Path

import pytest

from drretail.addons.sandboxes.check import changed_sandbox_files, sandbox_faults
from drretail.env.web.sandbox import SANDBOX_FILE, read_labels, read_pages, read_sandbox, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import read_json, write_json, write_lines
from tests.addons.sandboxes.conftest import QUERIES
from tests.build import files


def test_it_passes_its_check_until_a_page_that_is_needed_or_all_queries_are_gone(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "s")
    assert sandbox_faults(folder) == {query.query_id: [] for query in QUERIES}
    task = task_folder(folder, QUERIES[0].query_id)
    needed = next(label.url for label in read_labels(task) if label.label == "supportive")
    kept = [page.model_dump_json(by_alias=True) for page in read_pages(task) if page.url != needed]
    write_lines(task / "pages.jsonl.gz", kept)
    assert any("0 places" in fault for fault in sandbox_faults(folder)[QUERIES[0].query_id])
    (folder / "queries.jsonl").write_text("")
    with pytest.raises(UserError, match=r"queries\.jsonl holds no query"):
        sandbox_faults(folder)


def test_every_file_that_is_changed_exchanged_removed_or_added_is_found(small: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    about, contents = read_sandbox(copy), files(copy)
    assert [*changed_sandbox_files(copy, about)] == []
    written = read_json(copy / SANDBOX_FILE)
    for changed in ({"seed": "8"}, {"sizes": {"16k": 16_001}}, {"sums": {}}, {"own_sum": ""}):
        write_json(copy / SANDBOX_FILE, written | changed)
        assert SANDBOX_FILE in dict(changed_sandbox_files(copy, read_sandbox(copy))), changed
    write_json(copy / SANDBOX_FILE, written)
    for name, content in contents.items():
        path = copy / name
        if path.name == SANDBOX_FILE:
            continue
        alike = [other for each, other in contents.items() if Path(each).name == path.name and other != content]
        for changed in (content + b" ", content[1:], *alike[-1:]):
            path.write_bytes(changed)
            assert [*changed_sandbox_files(copy, about)] == [
                (name, f"{name} has been changed since the sandbox was built.")
            ]
        added = path.rename(f"{path}.bak")
        assert dict(changed_sandbox_files(copy, about)) == {
            name: f"{name} has been removed since the sandbox was built.",
            f"{name}.bak": f"{name}.bak has been added since the sandbox was built.",
        }
        added.unlink()
        path.write_bytes(content)


def test_the_check_goes_on_after_a_file_or_a_user_that_is_gone(small: Path, world: World, tmp_path: Path) -> None:
    copy = shutil.copytree(small, tmp_path / "s")
    first, second = (query.query_id for query in QUERIES)
    (task_folder(copy, first) / "labels.jsonl").unlink()
    write_json(copy / SANDBOX_FILE, {**read_json(copy / SANDBOX_FILE), "seed": "8"})
    found = sandbox_faults(copy)
    assert f"tasks/{first}/labels.jsonl has been removed since the sandbox was built." in found[first]
    assert any("not whole" in fault for fault in found[first])
    assert found[second] == [f"{SANDBOX_FILE} has been changed since it was built."]
    queries = [query.model_copy(update={"user_id": "NOBODY"}) for query in QUERIES]
    write_lines(copy / "queries.jsonl", (query.as_line() for query in queries))
    assert "its user 'NOBODY' is none of the shop's." in sandbox_faults(copy, world)[second]
