"""What inspect finds of drretail, through the entry point group ``inspect_ai``."""

from drretail.addons.inspect import task

__all__ = ["task"]
