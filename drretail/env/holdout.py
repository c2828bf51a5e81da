"""Orders that are held out of a world: what users bought next, for evaluation alone. No tool reads them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from drretail.env.manifest import HOLDOUT_FILE, OrderRow
from drretail.env.rows import holdout_rows


class Holdout(Protocol):
    """The held-out orders of one world."""

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        """Each of these users' held-out orders, oldest first; users without any are left out.

        Raises UserError for a damaged file, ToolError where a server fails.
        """
        ...


class FileHoldout:
    """Those of an embedded world. One pass over the file at each call: ask for many users at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        wanted = frozenset(user_ids)
        return by_user(row for row in holdout_rows(self._path) if row.user_id in wanted)


def file_holdout(generation: Path) -> FileHoldout | None:
    """The held-out orders in a generation's folder; None where nothing is held out."""
    path = generation / HOLDOUT_FILE
    return FileHoldout(path) if path.is_file() else None


def by_user(rows: Iterable[OrderRow]) -> Mapping[str, Sequence[OrderRow]]:
    """The rows of each user, oldest first."""
    users: dict[str, list[OrderRow]] = defaultdict(list)
    for row in rows:
        users[row.user_id].append(row)
    return {user_id: sorted(users[user_id], key=lambda row: row.place) for user_id in sorted(users)}
