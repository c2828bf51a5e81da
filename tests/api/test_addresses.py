"""Where a model is asked, and what is repeated of an address. Tests models.py, llm/faults.py and settings.py."""

import asyncio
import json
from base64 import b64encode, urlsafe_b64encode
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from drretail.api.models import Opener
from drretail.api.options.experiment_file import chosen, entry, read_experiment
from drretail.api.options.run import RunOptions
from drretail.api.settings import read_settings, server_settings
from drretail.api.worlds import chosen_web
from drretail.errors import CommandStopped, UserError, describe_error, plain_address
from drretail.llm.faults import Halt, masked, server_address
from drretail.llm.providers import PROVIDERS
from drretail.llm.registry import Model
from drretail.records.models import ModelChoice
from tests.llm.local_server import Handler, LocalServer

URL = "http://127.0.0.1:9/v1"
KEY = "sk-" + "0" * 20


@pytest.fixture(autouse=True)
def in_a_folder_of_somebody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GATEWAY_KEY", "gateway")


def opened(toml: str, *flags: str, profile: str | None = None) -> Model:
    Path("drretail.toml").write_text(toml, encoding="utf-8")
    settings = read_settings()
    choice = ModelChoice(model="openai:gpt-5") if profile is None else settings.profiles[profile].choice("")
    opener = Opener(settings, flags)
    return opener.open_all([choice, choice])[0]


def key_of(model: Model) -> str:
    return model.chat.openai_api_key.get_secret_value()  # pyright: ignore


PROFILE = f'[profiles.mine]\nmodel = "openai:gpt-5"\nbase_url = "{URL}"\nkey_variable = "GATEWAY_KEY"\n'


@pytest.mark.parametrize(
    ("toml", "given", "profile", "key"),
    [
        (f'base_url = "{URL}"', "", None, "none"),
        (f'base_urls.openai = "{URL}"', "", None, "none"),
        (PROFILE, "", "mine", "none"),
        (f'base_url = "{URL}"', "flag", None, KEY),
        (f'base_url = "{URL}"', "DRRETAIL_BASE_URLS__OPENAI", None, KEY),
        (f'base_url = "{URL[:-3]}"', "DRRETAIL_BASE_URLS__ANTHROPIC", None, "none"),  # it begins the user's own
    ],
)
def test_an_address_of_the_file_is_said_once_and_gets_no_key_and_one_that_the_user_gave_gets_it(
    toml: str,
    given: str,
    profile: str | None,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if given.isupper():
        monkeypatch.setenv(given, URL)
    assert key_of(opened(toml, *([URL] if given == "flag" else []), profile=profile)) == key
    said = capsys.readouterr().err.splitlines()
    if key == KEY:
        assert said == []
    else:
        (line,) = said
        assert line.startswith(f"drretail.toml here has openai:gpt-5 asked at {URL[:-3]}")
        assert ", without a key" in line


NO_ADDRESSES = ("anna:p@ss@127.0.0.1", "htp://anna:p@ss@127.0.0.1/v1")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/v1", "http://[::1/v1", "http:///v1", "ftp://host/v1", "", *NO_ADDRESSES]
)
def test_an_address_that_none_can_be_is_said_wherever_it_is_written(url: str) -> None:
    mine = f'[profiles.mine]\nwhy = "A gateway."\nmodel = "openai:x"\nbase_url = "{url}"\n'
    for toml, flags, profile in (("", (f"openai={url}",), None), (f'base_url = "{url}"', (), None), (mine, (), "mine")):
        with pytest.raises(UserError, match="is no address of a model server: write http") as caught:
            opened(toml, *flags, profile=profile)
        assert "p@ss" not in str(caught.value)


@pytest.mark.parametrize(
    ("secret", "address"),
    [
        ("serper_api_key", "serper_address"),
        ("serper_api_key", "web_proxy"),
        ("mongo_password", "mongo_url"),
        ("es_password", "es_url"),
        ("es_api_key", "es_url"),
    ],
)
def test_a_secret_of_the_environment_goes_to_no_address_of_the_file(
    monkeypatch: pytest.MonkeyPatch, secret: str, address: str
) -> None:
    monkeypatch.setenv(f"DRRETAIL_{secret.upper()}", "secret")
    Path("drretail.toml").write_text(f'web = "serper"\n{address} = "http://127.0.0.1:9"\n', encoding="utf-8")
    is_web = secret == "serper_api_key"
    with pytest.raises(UserError, match=f"names {address}, to which your {secret} would go"):
        chosen_web(read_settings()) if is_web else server_settings()
    if not is_web:
        monkeypatch.setenv(address.upper(), "http://127.0.0.1:10")
        assert getattr(server_settings(), address) == "http://127.0.0.1:10"


ADDRESSES = ("http://anna:p%40ss@127.0.0.1:9/v1", "https://anna:p@ss:w@127.0.0.1/v1", "http://p%40ss@127.0.0.1:9")


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_password_in_an_address_goes_out_and_never_comes_back(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = opened("", f"openai={url}")
    assert "ss" in str(model.chat.openai_api_base)  # pyright: ignore
    shown = [str(model.params), str(model.asked), str(server_address(model)), plain_address(url)]
    shown += [describe_error(ValueError(f"no answer from {url}")), capsys.readouterr().err]
    opened(f'base_url = "{url}"')
    assert not [text for text in [*shown, capsys.readouterr().err] if "p%40ss" in text or "p@ss" in text]


def test_a_server_that_repeats_the_password_in_any_encoding_is_not_repeated() -> None:
    chat = opened("", "openai=http://anna:p%40ss%20wörd%2F9@127.0.0.1:9/v1").chat
    word = "p@ss wörd/9"
    login, raw = f"anna:{word}".encode(), word.encode()
    echoes = [
        word,
        quote(word, safe=""),
        quote_plus(word).lower(),
        quote(quote(word)),
        json.dumps(word),
        raw.hex().upper(),
    ]
    echoes += [b64encode(login).decode(), urlsafe_b64encode(raw).decode()]
    echoes += [b64encode(b"x" * before + login + b" and more").decode() for before in range(3)]
    for echo in echoes:
        said = masked(chat, f"Login {echo} is wrong")
        inside = said.removeprefix("Login ").removesuffix(" is wrong")
        assert "***" in inside
        assert not [part for part in inside.replace('"', "").split("***") if len(part) > 16 or "ss" in part]
    assert masked(chat, "a passing word of anna") == "a passing word of anna"


@dataclass
class Refused(Exception):
    status_code: int = 401


@pytest.mark.parametrize(
    ("address", "key", "sentence"),
    [
        (
            URL,
            KEY,
            f"{URL} refuses the key in OPENAI_API_KEY for openai:gpt-5 .*: set the environment variable OPENAI_",
        ),
        (URL, None, f"{URL} asks for a key, which is not in OPENAI_API_KEY for openai:gpt-5 "),
        (ADDRESSES[0], KEY, f"{URL} refuses the login in its address for openai:gpt-5 .*: mend it in --base-url "),
    ],
)
def test_a_refusal_says_of_whom_and_where_it_is_mended(
    address: str, key: str | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key is None:
        monkeypatch.delenv("OPENAI_API_KEY")
    model = opened("", f"openai={address}")

    async def asked() -> None:
        Halt().check_denied(model, Refused())

    with pytest.raises(CommandStopped, match=sentence):
        asyncio.run(asked())


def test_a_config_is_printed_without_logins() -> None:
    (line,) = [entry(*each) for each in chosen(RunOptions(base_url=[f"openai={ADDRESSES[0]}"]))]
    assert f'base_url = ["openai={URL}"]' in line


MODELS = {"anthropic": "claude-sonnet-5", "openai": "gpt-5", "ollama": "qwen3:8b", "google": "gemini-2.5-pro"}
FILES = {
    "experiment.toml": ('base_url = "{url}"', 'base_url = ["{provider}={url}"]'),
    "drretail.toml": (
        'base_url = "{url}"',
        'base_urls.{provider} = "{url}"',
        '[profiles.mine]\nmodel = "{provider}:{model}"\nbase_url = "{url}"',
    ),
}


class Heard(Handler):
    heard: list[str]

    def post(self) -> None:
        self.heard += [self.path, str(self.headers), str(self.read())]
        self.begin(400, 0, None)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("file", "text"), [(file, text) for file, texts in FILES.items() for text in texts])
@pytest.mark.parametrize("is_set", [{"keys"}, {"keys", "client's"}, set[str]()], ids=["keys", "all", "none"])
def test_an_address_of_any_file_gets_no_key_of_any_provider(
    provider: str, file: str, text: str, is_set: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused with the key's name, or asked without one."""
    for known in PROVIDERS.values():
        for kind, names in (("keys", known.key_variables), ("client's", known.client_variables)):
            for name in names:
                monkeypatch.delenv(name, raising=False)
                if kind in is_set:
                    monkeypatch.setenv(name, f"x: secret-{name}")
    is_options, opens = file == "experiment.toml", PROVIDERS[provider]
    sent = opens.key_variables if is_options and "keys" in is_set else ()
    sent += opens.client_variables if "client's" in is_set else ()
    handler = type("Handler", (Heard,), {"heard": []})
    with LocalServer(handler) as server:
        written = text.format(url=server.url, provider=provider, model=MODELS[provider])
        Path(file).write_text(written, encoding="utf-8")
        settings, choice = read_settings(), ModelChoice(model=f"{provider}:{MODELS[provider]}")
        choice = settings.profiles["mine"].choice("") if settings.profiles else choice

        def ask(*, trust: bool) -> None:
            flags = read_experiment(file, trust=trust)["base_url"] if is_options else ()
            (model,) = Opener(settings, flags).open_all([choice])
            with suppress(Exception):
                model.chat.invoke("Hello")

        with pytest.raises(UserError, match=f"{server.url}, .*{sent[0]}") if sent else nullcontext():
            ask(trust=False)
        assert bool(handler.heard) != bool(sent)
        assert "secret" not in str(handler.heard)
        if is_options and sent:
            ask(trust=True)
            assert "secret" in str(handler.heard)
