"""Typed settings: command line > environment (DRRETAIL_*) > drretail.toml > defaults. Only ``cli`` reads them."""

import tomllib
from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from drretail.errors import UserError

OFFLINE_MODEL = "offline:shopper"
SETTINGS_FILE = Path("drretail.toml")


class Settings(BaseSettings):
    """Everything that may be set without a flag; each field's environment variable is DRRETAIL_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="DRRETAIL_", toml_file=SETTINGS_FILE, extra="forbid")

    model: str | None = None
    """"provider:model" for every role; without one, offline:shopper is used and said so."""
    base_url: str | None = None
    """Address of an OpenAI-compatible or Anthropic-compatible server."""
    model_timeout: float = Field(default=120, gt=0)
    """Seconds for one model call, retries not included."""
    model_retries: int = Field(default=5, ge=0)
    max_tokens: int = Field(default=8000, ge=1)
    """The longest answer asked of a model, in tokens."""
    tool_timeout: float = Field(default=30, gt=0)
    """Seconds for one tool call."""
    tool_threads: int = Field(default=4, ge=1)
    page_age: float = Field(default=3, ge=0)
    """Years after which a cited web page is warned of, counted back from the shop's today."""
    cache_dir: Path = Field(default_factory=lambda: Path.home() / ".cache" / "drretail")
    web: str = "sandbox"
    """Which web is searched, NAME[:ARGUMENT]; see docs/web.md."""
    serper_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("drretail_serper_api_key", "serper_api_key")
    )
    """Also from SERPER_API_KEY, as Serper's own examples name it."""
    serper_address: str = "https://google.serper.dev/search"
    searxng_address: str | None = Field(
        default=None, validation_alias=AliasChoices("drretail_searxng_address", "searxng_address", "searxng_url")
    )
    """Also from SEARXNG_URL."""
    search_timeout: float = Field(default=20, gt=0)
    """Seconds for one web search with all its tries."""
    page_timeout: float = Field(default=10, gt=0)
    """Seconds for one page of the open web, with robots.txt and redirects."""
    page_bytes: int = Field(default=10_000_000, ge=1)
    """Of one page, unpacked."""
    page_redirects: int = Field(default=5, ge=0)
    user_agent: str | None = None
    """As what pages are asked for; its first word is what robots.txt knows us by."""
    robots: bool = True
    """Whether robots.txt is respected."""
    web_proxy: SecretStr | None = None
    """http(s)://[user:password@]host:port for Serper and pages; HTTP_PROXY and its like are not read."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def read_settings(**given: object) -> Settings:
    """The settings, with what the command line gave (None = not given) above all else.

    Raises UserError that names the wrong field.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType]
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{SETTINGS_FILE} is not valid TOML: {problem}.") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        # A setting with a second name is reported by its variable.
        field = ".".join(str(part) for part in first["loc"]).removeprefix("drretail_")
        raise UserError(f"Setting {field!r} (drretail.toml or DRRETAIL_{field.upper()}): {first['msg']}.") from problem
