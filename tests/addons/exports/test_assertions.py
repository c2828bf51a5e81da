"""A gate in a test of pytest's own."""

from pathlib import Path

import pytest

from drretail.addons.exports.assertions import assert_no_worse


@pytest.mark.parametrize(
    ("new", "queries", "told"),
    [
        (0.9, 40, ""),
        (0.5, 40, r"new beside old: A − B is .* a change for the worse of 0.1 is not excluded"),
        (0.9, 4, r"5 users are the minimum"),
    ],
)
def test_a_test_fails_unless_a_change_for_the_worse_is_excluded(
    new: float, queries: int, told: str, tmp_path: Path
) -> None:
    rows = [f"{name},q{at},{value}" for at in range(queries) for name, value in (("old", 0.8), ("new", new))]
    (tmp_path / "s.csv").write_text("\n".join(["system,query,value", *rows]), encoding="utf-8")
    if not told:
        assert_no_worse(tmp_path / "s.csv", "old", "value", margin=0.1)
        return
    with pytest.raises(pytest.fail.Exception, match=told):
        assert_no_worse(tmp_path / "s.csv", "old", "value", margin=0.1, system="new")
