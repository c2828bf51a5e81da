from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.settings import read_settings
from tests.build import known


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
    "environment",
    [
        {"DRRETAIL_SERPER_API_KEY": "k-0123456789abcdef"},
        {"SERPER_API_KEY": "k-0123456789abcdef"},
        {"DRRETAIL_SERPER_API_KEY": "k-0123456789abcdef", "SERPER_API_KEY": "k-shared"},
    ],
)
def test_the_key_of_serper_comes_by_either_name_and_is_never_shown(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    settings = read_settings()
    assert known(settings.serper_api_key).get_secret_value() == "k-0123456789abcdef"
    assert "k-0123456789abcdef" not in f"{settings!r} {settings} {settings.model_dump()}"


def test_the_web_may_be_chosen_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = 'web = "searxng"\nsearxng_address = "http://localhost:8080"\nserper_api_key = "k-file"\nrobots = false\n'
    (tmp_path / "drretail.toml").write_text(lines, encoding="utf-8")
    settings = read_settings()
    assert (settings.web, settings.searxng_address, settings.robots) == ("searxng", "http://localhost:8080", False)
    assert settings.serper_api_key is not None
    monkeypatch.setenv("SEARXNG_URL", "http://localhost:9090")
    assert read_settings(web="serper").searxng_address == "http://localhost:9090"


@pytest.mark.parametrize(
    ("environment", "toml", "url"),
    [
        ({}, "", None),
        ({"MONGO_URL": "plain"}, "", "plain"),
        ({"MONGO_URL": "plain"}, 'mongo_url = "file"', "plain"),
        ({"MONGO_URL": "plain", "DRRETAIL_MONGO_URL": "ours"}, 'mongo_url = "file"', "ours"),
        ({"DRRETAIL_MONGO_URL": "ours"}, 'mongo_url = "file"', "ours"),
        ({}, 'mongo_url = "file"', "file"),
    ],
)
def test_the_addresses_of_servers_are_also_read_from_their_usual_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], toml: str, url: str | None
) -> None:
    for name in ("MONGO_URL", "DRRETAIL_MONGO_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "drretail.toml").write_text(toml, encoding="utf-8")
    assert read_settings().mongo_url == url


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MONGO_PASSWORD", "ES_PASSWORD", "ES_API_KEY"):
        monkeypatch.setenv(f"DRRETAIL_{name}", "secret")
        monkeypatch.setenv(name, "not read")
    settings = read_settings()
    assert settings.es_api_key is not None
    assert settings.es_api_key.get_secret_value() == "secret"
    assert "secret" not in repr(settings)
    monkeypatch.setenv("DRRETAIL_MONGO_URL", "mongodb://u:secret@host")
    assert "secret" not in repr(read_settings())
