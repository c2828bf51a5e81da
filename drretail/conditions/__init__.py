"""What systems differ in besides agents and models; ``run --vary`` makes a system for each value.

condition.py  one entry: its values, what they change, how tables name them
shopper.py    what is known about the shopper: information
shop.py       which web it meets: size, compose, web
tools.py      what it may do: without, scope, and each limit
names.py      the built-in ones by name
registry.py   conditions by name: built-in ones, plugins, module:attribute
"""
