"""A wall clock that is set forward and back under a command, without touching the machine's own.

A small library, compiled with the C compiler that is there, stands before the C library's: all of a process that asks
for the time of day (Python, SQLite, DuckDB, TLS) is given it with an offset, which lies in a file that both sides map.
The monotonic clock stays as it is, as when a machine's clock is set.
"""

import json
import mmap
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from drretail.experiments.run_file import RUN_FILE, read_members

SOURCE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile long *offset;
__attribute__((constructor)) static void start(void) {
    int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
    void *there = file < 0 ? MAP_FAILED : mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    if (there == MAP_FAILED) abort();
    offset = there;
    close(file);
}
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME && offset) now->tv_sec += *offset;
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *kept) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (kept) *kept = now.tv_sec;
    return now.tv_sec;
}
"""
DAY = 86_400
OFFSETS = (400 * DAY, -400 * DAY, 3600, -3600, 0)
DURATIONS = ("seconds", "model_seconds", "wall_seconds", "slowest")


class JumpingClock:
    """Sets the clock of the processes that run with ``environment`` each ``every`` seconds, while it is entered."""

    def __init__(self, folder: Path, every: float) -> None:
        self._every, self._over, self.jumps = every, threading.Event(), 0
        source, library, offset = (folder / f"clock.{end}" for end in ("c", "so", "offset"))
        source.write_text(SOURCE, encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)  # noqa: S603, S607
        offset.write_bytes(bytes(8))
        with offset.open("r+b") as file:
            self._offset = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(offset)}

    def __enter__(self) -> "JumpingClock":
        self._over.clear()
        self._thread = threading.Thread(target=self._jump)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _jump(self) -> None:
        while not self._over.wait(self._every):
            self.jumps += 1
            self._offset[:8] = struct.pack("=q", OFFSETS[self.jumps % len(OFFSETS)])


def negative_durations(folder: Path) -> list[str]:
    """Where a file of runs has a time that something took and that is below 0."""
    documents = (
        (path, json.loads(line))
        for path in sorted(folder.rglob(f"runs/*/*{RUN_FILE}"))
        for lines in read_members(path, "journal", "telemetry").values()
        for line in lines
    )
    return [f"{path.name}: {name}" for path, document in documents for name in _negative(document)]


def _negative(document: object) -> Iterator[str]:
    if isinstance(document, dict):
        for name, value in document.items():
            if name in DURATIONS and value < 0:
                yield f"{name} {value}"
            yield from _negative(value)
    elif isinstance(document, list):
        for value in document:
            yield from _negative(value)
