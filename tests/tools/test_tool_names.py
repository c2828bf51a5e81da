"""The nine by name, as readers of runs know them."""

from drretail.records.run import NINE
from drretail.tools.registry import TOOLS


def test_readers_of_runs_know_the_tools_that_there_are() -> None:
    assert tuple(TOOLS) == NINE
