"""``python -m drretail``: the command, where it is not on the path."""

from drretail.cli.entry import main

if __name__ == "__main__":
    main()
