"""The made-up shop of the queries' tests."""

from tests.querygen.conftest import make_world, world

__all__ = ["make_world", "world"]
