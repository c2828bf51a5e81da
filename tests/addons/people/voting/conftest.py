"""Experiments whose reports are judged."""

from tests.viewer.conftest import answered, exp, judged, mine, recorded

__all__ = ["answered", "exp", "judged", "mine", "recorded"]
