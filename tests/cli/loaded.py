"""All that a command may load, for the process that commands are forked from: it imports this, and runs none."""

import gc
import os
import pkgutil
from importlib import import_module

# As the command sets it; and a process with threads forks badly.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import drretail

LATE = ("isal.igzip", "numpy", "scipy.stats", "scipy.special", "langchain_openai")
"""What our modules import only when they need it. DuckDB is left out: it complains where it was loaded in vain."""
OTHERS = ("drretail.addons.gym", "drretail.addons.inspect")
"""What needs packages of other environments; no command loads it unasked."""

os.fsync = os.fstat  # waits for no disk, as in the tests' own process
_names = [package.name for package in pkgutil.walk_packages(drretail.__path__, "drretail.")]
for _name in [*_names, *LATE]:
    if not _name.endswith("__main__") and not _name.startswith(OTHERS):
        import_module(_name)
gc.collect()
gc.freeze()  # a collection in a forked process would copy all that was loaded
