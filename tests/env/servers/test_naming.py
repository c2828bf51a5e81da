from pathlib import Path

import pytest

from drretail.env.servers.naming import is_on_servers, world_name
from drretail.errors import UserError


@pytest.mark.parametrize("name", ["shop", "7", "a-g", "a_b-c", "a" * 38, "shop-g1x", "g1"])
def test_a_name_that_database_and_index_take_is_taken(name: str) -> None:
    assert world_name(f"servers:{name}") == name


@pytest.mark.parametrize("name", ["", "Shop", "_a", "-a", "a b", "a.b", "a/b", "é", "a" * 39, "shop-g1", "a\n"])
def test_any_other_name_is_said_to_be_wrong(name: str) -> None:
    with pytest.raises(UserError, match="cannot name a world on servers"):
        world_name(f"servers:{name}")


def test_a_folder_may_have_such_a_name() -> None:
    assert is_on_servers("servers:shop")
    assert not is_on_servers("./servers:shop")
    assert not is_on_servers(Path("servers:shop"))
