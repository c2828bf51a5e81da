from pathlib import Path

import pytest

from drretail.env.servers.naming import check_place, world_name
from drretail.errors import UserError

TAKEN = ["shop", "7", "a-g", "a_b-c", "a" * 38, "shop-g1x", "g1"]
RESEMBLING = ["administration", "locals", "logs", "metrics_x", "shop-logs-x"]
"""Names that only resemble one that a server keeps for itself."""


@pytest.mark.parametrize("name", [*TAKEN, *RESEMBLING])
def test_a_name_that_database_and_index_take_is_taken(name: str) -> None:
    assert world_name(f"servers:{name}") == name


@pytest.mark.parametrize("name", ["", "Shop", "_a", "-a", "a b", "a.b", "a/b", "é", "a" * 39, "shop-g1", "a\n"])
def test_any_other_name_is_said_to_be_wrong(name: str) -> None:
    with pytest.raises(UserError, match="cannot name a world on servers"):
        world_name(f"servers:{name}")


@pytest.mark.parametrize("name", ["admin", "config", "local", "logs-shop", "metrics-x", "traces-a", "synthetics-b"])
def test_a_name_that_one_of_the_servers_keeps_for_itself_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"'servers:{name}' cannot name .*(MongoDB's own|data streams)"):
        world_name(f"servers:{name}")


@pytest.mark.parametrize("spec", ["SERVERS:x", "server:x", "Servers: X", "Server:x"])
def test_what_is_nearly_a_name_on_servers_is_said_to_be_that(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=f"no folder '{spec}'.*'servers:x'"):
        check_place(spec)
    for other in (f"./{spec}", "servers:x", "shop", "observers:x", "servers"):
        check_place(other)
    check_place(Path(spec))
    (tmp_path / spec).mkdir()
    check_place(spec)
