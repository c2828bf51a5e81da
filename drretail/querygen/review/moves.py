"""Where a reviewer goes instead of answering."""

from enum import Enum


class Move(Enum):
    """The keys for it."""

    SKIP = "s"
    BACK = "b"
    QUIT = "q"


class Moved(Exception):
    """The reviewer went elsewhere."""

    def __init__(self, move: Move) -> None:
        super().__init__(move.value)
        self.move = move
