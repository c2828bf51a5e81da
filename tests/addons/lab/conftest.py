"""Nine reports of three systems, for all of the lab's tests."""

from tests.viewer.conftest import answered, exp

__all__ = ["answered", "exp"]
