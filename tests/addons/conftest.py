"""Experiments whose reports are judged, made once for all add-ons."""

from tests.viewer.conftest import answered, exp, judged, mine, printed

__all__ = ["answered", "exp", "judged", "mine", "printed"]
