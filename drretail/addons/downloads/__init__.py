"""The raw files of Amazon Reviews 2023, from the first host that has them.

commands.py     ``download``
options.py      its options
download.py     the files: resumed, retried, checked, from the first host of addresses.toml that has them
addresses.toml  the hosts
"""
