"""The held-out orders of a world on servers."""

from collections.abc import Collection, Mapping, Sequence

from drretail.env.holdout import by_user
from drretail.env.manifest import OrderRow
from drretail.env.servers.connecting import Servers
from drretail.env.servers.documents import order_row
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live import Generation, collections_of


class ServerHoldout:
    """Implements ``holdout.Holdout`` on one generation; its connection is the store's."""

    def __init__(self, servers: Servers, generation: Generation) -> None:
        self._address = servers.mongo_address
        self._rows = collections_of(servers.database, generation.number)["holdout"]

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        with mongo_faults(self._address):
            return by_user(map(order_row, self._rows.find({"user_id": {"$in": sorted(set(user_ids))}})))


def server_holdout(servers: Servers, generation: Generation) -> ServerHoldout | None:
    """The held-out orders of a generation; None where nothing is held out."""
    return ServerHoldout(servers, generation) if generation.held_out else None
