"""addresses_in_file, names_in_file, keep_at_home, server_settings: tests/api/test_addresses.py."""

from pathlib import Path

import pytest

from drretail.api.settings import read_settings
from drretail.errors import UserError
from tests.build import known


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_command_line_beats_the_environment_which_beats_the_file_which_beats_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_settings().model is None
    (tmp_path / "drretail.toml").write_text('model = "openai:a"\nmax_tokens = 5\ntool_threads = 2\n', encoding="utf-8")
    assert read_settings().model == "openai:a"
    monkeypatch.setenv("DRRETAIL_MODEL", "a:environment")
    monkeypatch.setenv("DRRETAIL_MAX_TOKENS", "6")
    settings = read_settings(model="a:flag", max_tokens=None)
    assert (settings.model, settings.max_tokens, settings.tool_threads) == ("a:flag", 6, 2)
    assert settings.tool_timeout == 30


def test_a_wrong_setting_and_a_broken_file_are_a_sentence(tmp_path: Path) -> None:
    for toml, message in (
        (b"tool_timeout = 0", "tool_timeout"),
        (b"serper_api_key = 5", r"'serper_api_key' .*DRRETAIL_SERPER_API_KEY\)"),
        (b"mongo_url = 5", r"'mongo_url' \(drretail.toml or DRRETAIL_MONGO_URL\)"),
        (b"model = [", r"drretail\.toml"),
        (b"\xff\xfe", r"drretail\.toml is not in UTF-8"),
    ):
        (tmp_path / "drretail.toml").write_bytes(toml)
        with pytest.raises(UserError, match=message):
            read_settings()


def test_addresses_and_keys_are_also_read_from_their_usual_names_which_beat_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "drretail.toml").write_text('mongo_url = "file"', encoding="utf-8")
    for prefix, value in (("", "plain"), ("DRRETAIL_", "ours")):
        for name in ("MONGO_URL", "SERPER_API_KEY", "ES_API_KEY"):
            monkeypatch.setenv(f"{prefix}{name}", value)
        settings = read_settings()
        assert settings.mongo_url == value
        keys = [settings.serper_api_key, *([settings.es_api_key] if prefix else [])]
        assert [known(key).get_secret_value() for key in keys] == [value] * len(keys)


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MONGO_PASSWORD", "ES_PASSWORD", "ES_API_KEY", "SERPER_API_KEY"):
        monkeypatch.setenv(f"DRRETAIL_{name}", "secret")
    settings = read_settings()
    assert "secret" not in f"{settings!r} {settings} {settings.model_dump()}"
    monkeypatch.setenv("DRRETAIL_MONGO_URL", "mongodb://u:secret@host")
    assert "secret" not in repr(read_settings())
