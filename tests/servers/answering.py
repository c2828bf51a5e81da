"""Waits until a server that is being started answers: answering.py mongo|elasticsearch URL SECONDS."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.request import ProxyHandler, build_opener

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

ALREADY_INITIALIZED = 23


def mongo_answers(url: str) -> bool:
    """True when writes are taken; makes the replica set first."""
    member = {"_id": 0, "host": url.split("//")[1].split("/")[0]}
    with MongoClient[dict[str, Any]](url, serverSelectionTimeoutMS=1000) as client:
        try:
            try:
                client.admin.command({"replSetInitiate": {"_id": "tests", "members": [member]}})
            except OperationFailure as problem:
                if problem.code != ALREADY_INITIALIZED:
                    return False
            return bool(client.admin.command("hello").get("isWritablePrimary"))
        except PyMongoError:
            return False


def elasticsearch_answers(url: str) -> bool:
    """True when indices can be made."""
    # A proxy in the environment is not meant for this machine.
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"{url}/_cluster/health?wait_for_status=yellow&timeout=5s", timeout=10) as reply:
            return json.load(reply)["status"] in ("yellow", "green")
    except (OSError, ValueError, KeyError):
        return False


ANSWERS: dict[str, Callable[[str], bool]] = {"mongo": mongo_answers, "elasticsearch": elasticsearch_answers}


def main() -> int:
    kind, url, seconds = sys.argv[1:]
    end = time.monotonic() + float(seconds)
    while not ANSWERS[kind](url):
        if time.monotonic() > end:
            return 1
        time.sleep(0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
