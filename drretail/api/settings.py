"""Typed settings: command line > environment (DRRETAIL_*) > drretail.toml > defaults.

Only the edges read them: ``cli`` and ``api``.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from drretail.env.naming import ES_PORT, LOCAL_ELASTIC, LOCAL_MONGO, MONGO_PORT, ServerSettings
from drretail.errors import UserError, file_error, hide_keys
from drretail.parsing import TOO_DEEP, parse_toml
from drretail.plugins import code_in
from drretail.records.models import ModelProfile

OFFLINE_MODEL = "offline:shopper"
SETTINGS_FILE = Path("drretail.toml")


def caches_folder() -> Path:
    """The folder of all programs' caches: XDG_CACHE_HOME if that is an absolute path, or else ~/.cache."""
    place = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return place if place.is_absolute() else Path.home() / ".cache"


class Settings(BaseSettings):
    """Every setting; each field's environment variable is DRRETAIL_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix="DRRETAIL_", env_nested_delimiter="__", toml_file=SETTINGS_FILE, extra="forbid"
    )

    model: str | None = None
    """"provider:model" for every role. Without one, offline:shopper is used, and a message says so."""
    model_profile: str | None = None
    """The name of a model profile, which sets the models of all roles and judges; see ``profiles``."""
    base_url: str | None = None
    """Address of a server that speaks the model provider's protocol."""
    base_urls: dict[str, str] = Field(default_factory=dict[str, str])
    """The same by provider: base_urls.openai, DRRETAIL_BASE_URLS__OPENAI."""
    profiles: dict[str, ModelProfile] = Field(default_factory=dict[str, ModelProfile])
    """The user's model profiles, [profiles.NAME]."""
    model_timeout: float = Field(default=120, gt=0)
    """Seconds for one model call, retries not included."""
    model_retries: int = Field(default=5, ge=0)
    """Retries of one model call after temporary faults."""
    stream: bool = False
    """True streams answers of Anthropic and OpenAI."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest answer requested of a model, in tokens; None leaves it to each purpose."""
    tool_timeout: float = Field(default=30, gt=0)
    """Seconds for one tool call."""
    tool_threads: int = Field(default=4, ge=1)
    """Concurrent tool calls of one run."""
    parallel: int = Field(default=4, ge=1)
    """Concurrent runs."""
    model_calls: int | None = Field(default=None, ge=1)
    """Concurrent model calls of all runs together; None = four for each concurrent run."""
    mongo_url: str | None = Field(
        default=None, repr=False, validation_alias=AliasChoices("drretail_mongo_url", "mongo_url")
    )
    """MongoDB's address for worlds called servers:NAME; by default this machine's ``mongo_port``. Also read from
    MONGO_URL.
    """
    mongo_port: int = Field(default=MONGO_PORT, ge=1, le=65535)
    """MongoDB's port on this machine; docker-compose.yml publishes it there."""
    mongo_user: str | None = None
    mongo_password: SecretStr | None = None
    es_url: str | None = Field(default=None, repr=False, validation_alias=AliasChoices("drretail_es_url", "es_url"))
    """Elasticsearch's address; by default this machine's ``es_port``. Also read from ES_URL."""
    es_port: int = Field(default=ES_PORT, ge=1, le=65535)
    """Elasticsearch's port on this machine; docker-compose.yml publishes it there."""
    es_user: str | None = None
    es_password: SecretStr | None = None
    es_api_key: SecretStr | None = None
    """Instead of user and password."""
    es_ca_file: Path | None = None
    servers_timeout: float = Field(default=10, gt=0)
    """Seconds for one request to either server."""
    cache_dir: Path = Field(default_factory=lambda: caches_folder() / "drretail")
    """By default in XDG_CACHE_HOME, or else in ~/.cache."""
    web: str = "sandbox"
    """The web that is searched, NAME[:ARGUMENT]; see docs/tools.md."""
    serper_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("drretail_serper_api_key", "serper_api_key")
    )
    """Also read from SERPER_API_KEY, the name in Serper's own examples."""
    serper_address: str = "https://google.serper.dev/search"
    searxng_address: str | None = Field(
        default=None, validation_alias=AliasChoices("drretail_searxng_address", "searxng_address", "searxng_url")
    )
    """Also read from SEARXNG_URL."""
    search_timeout: float = Field(default=20, gt=0)
    """Seconds for one web search, retries included."""
    page_timeout: float = Field(default=10, gt=0)
    """Seconds for one page of the open web, robots.txt and redirects included."""
    page_bytes: int = Field(default=10_000_000, ge=1)
    """The most bytes of one page, unpacked."""
    page_redirects: int = Field(default=5, ge=0)
    user_agent: str | None = None
    """The User-Agent header for pages; its first word is the name that robots.txt rules are matched with."""
    robots: bool = True
    """Whether robots.txt is respected."""
    web_proxy: SecretStr | None = None
    """http(s)://[user:password@]host:port for Serper and pages; HTTP_PROXY and the like are not read."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, _SettingsFile(settings_cls)


class _SettingsFile(TomlConfigSettingsSource):
    def _read_file(self, file_path: Any) -> dict[str, Any]:
        try:
            return parse_toml(file_path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as problem:
            raise UserError(f"{file_error(problem, SETTINGS_FILE)}.") from problem
        except ValueError as problem:
            raise UserError(f"{SETTINGS_FILE} is not valid TOML: {problem}.") from problem


def addresses_of_environment() -> frozenset[str]:
    """The words of the variables DRRETAIL_…, among them the addresses of model servers that the user named."""
    variables = [value for name, value in os.environ.items() if name.upper().startswith("DRRETAIL_")]
    return frozenset(url for value in variables for url in re.split(r'[\s"{},]+', value))


def addresses_in_file() -> frozenset[str]:
    """The addresses of model servers that only the current folder's settings file names, and not the environment."""
    if not SETTINGS_FILE.is_file():
        return frozenset()
    tables = _SettingsFile(Settings).toml_data
    urls = [table.get("base_url") for table in (tables, *_tables(tables))]
    urls += dict(tables.get("base_urls") or {}).values()
    return frozenset(url for url in urls if isinstance(url, str)) - addresses_of_environment()


def names_in_file(*names: str) -> list[str]:
    """Which of these settings only the current folder's settings file has, and not the environment."""
    if not SETTINGS_FILE.is_file():
        return []
    set_names = {name.upper() for name in os.environ}
    table = _SettingsFile(Settings).toml_data
    return [
        name for name in names if name in table and set_names.isdisjoint((name.upper(), f"DRRETAIL_{name.upper()}"))
    ]


def keep_at_home(settings: Settings, secret: str, *addresses: str) -> None:
    """Raises UserError if a secret of the user's own would go to an address that only the settings file names."""
    elsewhere = names_in_file(*addresses)
    if elsewhere and getattr(settings, secret) and not names_in_file(secret):
        raise UserError(
            f"{SETTINGS_FILE} here names {elsewhere[0]}, to which your {secret} would go: "
            f"set DRRETAIL_{elsewhere[0].upper()} if that is what you want."
        )


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    """Every table below a value of TOML."""
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(part, dict):
            yield part
        yield from _tables(part)


def read_settings(**values: object) -> Settings:
    """The settings. These values, from the command line, override all others; None means not given.

    Raises UserError that names the wrong field.
    """
    hide_keys(os.environ)
    try:
        settings = Settings(**{name: value for name, value in values.items() if value is not None})  # pyright: ignore[reportArgumentType]
    except SettingsError as problem:  # a variable that must be JSON is not
        raise UserError(f"Settings (DRRETAIL_…): {problem}.") from problem
    except RecursionError as problem:
        raise UserError(f"Settings (DRRETAIL_…): the JSON of a variable cannot be read: {TOO_DEEP}.") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        # A setting with a second name is reported by its variable's name.
        field = ".".join(str(part) for part in first["loc"]).removeprefix("drretail_")
        raise UserError(f"Setting {field!r} (drretail.toml or DRRETAIL_{field.upper()}): {first['msg']}.") from problem
    if code := _code_in_file(values):
        raise UserError(
            f"{SETTINGS_FILE} here names code, {code[0]}, and whoever put it here may be a stranger: name it on the "
            f"command line, or in the environment (DRRETAIL_MODEL, DRRETAIL_WEB)."
        )
    return settings


def _code_in_file(given: Mapping[str, object]) -> list[str]:
    """The modules that only the current folder's settings file names."""
    if not SETTINGS_FILE.is_file():
        return []
    from drretail.env.web.base import WEBS
    from drretail.llm.providers import provider_names

    tables = _SettingsFile(Settings).toml_data
    used = [name for name in names_in_file("model", "web", "profiles") if given.get(name) is None]
    models = [tables["model"]] if "model" in used else []
    models += [table.get("model") for table in _tables(tables["profiles"])] if "profiles" in used else []
    webs = [tables["web"]] if "web" in used else []
    return [*code_in(map(str, models), provider_names()), *code_in(webs, WEBS.names())]


def server_settings(**values: str | None) -> ServerSettings:
    """The addresses and credentials of the servers from the settings; ``values`` (mongo_url, es_url) come first."""
    settings = read_settings(**values)
    for secret, address in (("mongo_password", "mongo_url"), ("es_password", "es_url"), ("es_api_key", "es_url")):
        if values.get(address) is None:
            keep_at_home(settings, secret, address)
    secrets = {"mongo_password": settings.mongo_password, "es_password": settings.es_password}
    secrets["es_api_key"] = settings.es_api_key
    return ServerSettings(
        mongo_url=settings.mongo_url or LOCAL_MONGO.format(port=settings.mongo_port),
        es_url=settings.es_url or LOCAL_ELASTIC.format(port=settings.es_port),
        mongo_user=settings.mongo_user,
        es_user=settings.es_user,
        es_ca_file=None if settings.es_ca_file is None else str(settings.es_ca_file),
        timeout=settings.servers_timeout,
        **{name: secret.get_secret_value() for name, secret in secrets.items() if secret is not None},
    )
