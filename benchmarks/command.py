"""The command line in a process of its own, for benchmarks that need an experiment first."""

import resource
import subprocess
import sys

MAIN = "from drretail.cli.entry import main; main()"


def drretail(*args: str) -> None:
    """Runs ``drretail`` with these arguments; its results are not shown. Raises CalledProcessError when it fails."""
    subprocess.run([sys.executable, "-c", MAIN, *args], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 -- ourselves


def processor_of(*args: str) -> float:
    """Seconds of the processor that the command takes as a user pays it, from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    drretail(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
