"""The plugin of verifiers: ``vf-eval drretail-shop`` imports it by this name, which has to be a top-level one."""

from drretail.addons.gym.verifiers import LocalEnv, ShopHarness, ShopTaskset

__all__ = ["LocalEnv", "ShopHarness", "ShopTaskset"]
