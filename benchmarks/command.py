"""The command line in a process of its own, for benchmarks that need an experiment first."""

import os
import subprocess
import sys
from typing import NamedTuple

MAIN = "from drretail.cli.entry import main; main()"


class Cost(NamedTuple):
    processor: float
    """Seconds."""
    peak_mb: float


def cost_of(*args: str) -> Cost:
    """Runs ``drretail`` with these arguments, and says what it takes as a user pays it. Its results are not shown.

    Raises CalledProcessError when it fails; it may have findings.
    """
    process = subprocess.Popen([sys.executable, "-c", MAIN, *args], stdout=subprocess.DEVNULL)  # noqa: S603 -- ourselves
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise subprocess.CalledProcessError(process.returncode, args)
    return Cost(round(usage.ru_utime + usage.ru_stime, 2), round(usage.ru_maxrss / 1024))


def drretail(*args: str) -> None:
    """The same for what it makes."""
    cost_of(*args)


def processor_of(*args: str) -> float:
    """Seconds of the processor that the command takes."""
    return cost_of(*args).processor
