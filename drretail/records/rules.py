"""By whose rules something was scored."""

from typing import Literal

Rules = Literal["default", "paper", "drg", "hkuds", "dr3"]
