"""Typed settings: command line > environment (DRRETAIL_*) > drretail.toml > defaults. Only ``cli`` reads them."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from drretail.errors import UserError
from drretail.records.models import DEFAULT_MAX_TOKENS, ModelProfile, Price, RateLimit

OFFLINE_MODEL = "offline:shopper"
SETTINGS_FILE = Path("drretail.toml")


class Settings(BaseSettings):
    """Everything that may be set without a flag; each field's environment variable is DRRETAIL_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix="DRRETAIL_", env_nested_delimiter="__", toml_file=SETTINGS_FILE, extra="forbid"
    )

    model: str | None = None
    """"provider:model" for every role; without one, offline:shopper is used and said so."""
    model_profile: str | None = None
    """Models for all roles and judges under one name; see ``profiles``."""
    base_url: str | None = None
    """Address of a server that speaks the protocol of whichever provider is asked."""
    base_urls: dict[str, str] = Field(default_factory=dict[str, str])
    """The same by provider: base_urls.openai, DRRETAIL_BASE_URLS__OPENAI."""
    profiles: dict[str, ModelProfile] = Field(default_factory=dict[str, ModelProfile])
    """Model profiles of one's own, [profiles.NAME]."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """Dollars for a million tokens by "provider:model", before those that ship."""
    model_timeout: float = Field(default=120, gt=0)
    """Seconds for one model call, retries not included."""
    model_retries: int = Field(default=5, ge=0)
    """Further attempts of one model call, after faults that pass by themselves."""
    stream: bool = False
    """True: answers of Anthropic and OpenAI are read as they are written."""
    rate_limits: dict[str, RateLimit] = Field(default_factory=dict[str, RateLimit])
    """Requests and tokens a minute by provider: rate_limits.anthropic = {requests = 50, tokens = 30000}."""
    max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=1)
    """The longest answer asked of a model, in tokens."""
    tool_timeout: float = Field(default=30, gt=0)
    """Seconds for one tool call."""
    tool_threads: int = Field(default=4, ge=1)
    cache_dir: Path = Field(default_factory=lambda: Path.home() / ".cache" / "drretail")

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
        field = ".".join(str(part) for part in first["loc"])
        raise UserError(f"Setting {field!r} (drretail.toml or DRRETAIL_{field.upper()}): {first['msg']}.") from problem
