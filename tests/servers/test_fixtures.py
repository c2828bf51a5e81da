"""The servers that the tests start."""

import os
import socket
import subprocess
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from pymongo import MongoClient

from tests.servers.running import SCRIPTS, CannotStart, start, stop


def test_both_servers_answer(mongo_url: str, es_url: str) -> None:
    with MongoClient[dict[str, object]](mongo_url) as mongo, mongo.start_session() as session:
        with session.start_transaction():
            mongo.t_probe.rows.insert_one({"_id": 1}, session=session)
            session.abort_transaction()
        assert mongo.t_probe.rows.count_documents({}) == 0
    with Elasticsearch(es_url) as elastic:
        assert elastic.cluster.health()["number_of_nodes"] == 1


def test_a_server_is_stopped_with_its_folder(tmp_path: Path, mongo_url: str) -> None:
    del mongo_url  # where MongoDB cannot run, this is skipped
    url = start("mongo", tmp_path / "own")
    where = ("127.0.0.1", int(url.split(":")[2].split("/")[0]))
    socket.create_connection(where).close()
    stop(tmp_path / "own")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(where)
    assert not (tmp_path / "own").exists()


def test_a_server_ends_with_the_process_that_it_was_started_for(tmp_path: Path, mongo_url: str) -> None:
    del mongo_url
    with subprocess.Popen(["sleep", "60"]) as owner:
        start("mongo", tmp_path / "own", end_with=str(owner.pid))
        owner.kill()
    for _ in range(100):
        if not (tmp_path / "own").exists():
            return
        subprocess.run(["sleep", "0.1"], check=True)
    pytest.fail("the server outlived the process")


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="lacks pymongo"):
        start("mongo", tmp_path / "own", PYTHON="/bin/false")


@pytest.mark.parametrize("script", ["start_mongo.sh", "start_elasticsearch.sh", "stop.sh", "running.bash"])
def test_the_scripts_name_no_registry_and_are_bash(script: str) -> None:
    text = (SCRIPTS / script).read_text(encoding="utf-8")
    assert "https://" not in text
    subprocess.run(["bash", "-n", SCRIPTS / script], check=True)
    assert script.endswith(".bash") or os.access(SCRIPTS / script, os.X_OK)
