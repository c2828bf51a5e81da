"""``python -m drretail``: the command, where it is not on the path."""

import os
import sys

# Python looks first in the folder one stands in, where a file may be called json.py, random.py or pathlib.py.
if __name__ == "__main__" and sys.path[:1] == [os.getcwd()] and not __file__.startswith(sys.path[0]):  # noqa: PTH109
    del sys.path[0]

from drretail.cli.entry import main

if __name__ == "__main__":
    main()
