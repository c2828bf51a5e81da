"""The process's threads, as tests wait for them."""

import time

from drretail.event_loop import THREADS


def all_at_rest(seconds: float = 10) -> bool:
    """True once no thread of the pool is at work, within these seconds."""
    end = time.monotonic() + seconds
    while THREADS.busy and time.monotonic() < end:
        time.sleep(0.005)
    return not THREADS.busy
