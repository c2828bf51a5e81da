from pathlib import Path

import pytest
from pydantic import SecretStr

from drretail.api.settings import read_settings
from drretail.errors import UserError


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_command_line_beats_the_environment_which_beats_the_file_which_beats_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_settings().model is None
    (tmp_path / "drretail.toml").write_text('model = "a:file"\nmax_tokens = 5\ntool_threads = 2\n', encoding="utf-8")
    assert read_settings().model == "a:file"
    monkeypatch.setenv("DRRETAIL_MODEL", "a:environment")
    monkeypatch.setenv("DRRETAIL_MAX_TOKENS", "6")
    settings = read_settings(model="a:flag", max_tokens=None)
    assert (settings.model, settings.max_tokens, settings.tool_threads) == ("a:flag", 6, 2)
    assert settings.tool_timeout == 30


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (b"tool_timeout = 0", "tool_timeout"),
        (b"modell = 'x'", "modell"),
        (b"max_tokens = 'many'", "max_tokens"),
        (b"serper_api_key = 5", r"'serper_api_key' .*DRRETAIL_SERPER_API_KEY\)"),
        (b"mongo_url = 5", r"'mongo_url' \(drretail.toml or DRRETAIL_MONGO_URL\)"),
        (b"model = [", r"drretail\.toml"),
        (b"\xff\xfe", r"drretail\.toml is not in UTF-8"),
    ],
)
def test_a_wrong_setting_and_a_broken_file_are_a_sentence(tmp_path: Path, toml: bytes, message: str) -> None:
    (tmp_path / "drretail.toml").write_bytes(toml)
    with pytest.raises(UserError, match=message):
        read_settings()


@pytest.mark.parametrize(
    ("environment", "toml", "setting", "value"),
    [
        ({}, "", "mongo_url", None),
        ({"MONGO_URL": "plain"}, "", "mongo_url", "plain"),
        ({"MONGO_URL": "plain"}, 'mongo_url = "file"', "mongo_url", "plain"),
        ({"MONGO_URL": "plain", "DRRETAIL_MONGO_URL": "ours"}, 'mongo_url = "file"', "mongo_url", "ours"),
        ({}, 'mongo_url = "file"', "mongo_url", "file"),
        ({"SERPER_API_KEY": "plain"}, "", "serper_api_key", "plain"),
        ({"SERPER_API_KEY": "plain", "DRRETAIL_SERPER_API_KEY": "ours"}, "", "serper_api_key", "ours"),
        ({"ES_API_KEY": "plain", "DRRETAIL_ES_API_KEY": "ours"}, "", "es_api_key", "ours"),
    ],
)
def test_addresses_and_keys_are_also_read_from_their_usual_names(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    toml: str,
    setting: str,
    value: str | None,
) -> None:
    for name in ("MONGO_URL", "DRRETAIL_MONGO_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, given in environment.items():
        monkeypatch.setenv(name, given)
    (tmp_path / "drretail.toml").write_text(toml, encoding="utf-8")
    found = getattr(read_settings(), setting)
    assert (found.get_secret_value() if isinstance(found, SecretStr) else found) == value


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MONGO_PASSWORD", "ES_PASSWORD", "ES_API_KEY", "SERPER_API_KEY"):
        monkeypatch.setenv(f"DRRETAIL_{name}", "secret")
    settings = read_settings()
    assert "secret" not in f"{settings!r} {settings} {settings.model_dump()}"
    monkeypatch.setenv("DRRETAIL_MONGO_URL", "mongodb://u:secret@host")
    assert "secret" not in repr(read_settings())
