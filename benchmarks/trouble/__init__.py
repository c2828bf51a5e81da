"""What goes wrong in reality, done to drretail on purpose. ``../reliability.py`` runs it and prints the table.

bench.py        the shop, experiment and files to break; commands, and what one row of the table counts
interrupted.py  kills at each writing, two at once, full disks, clock jumps, signals, closed pipes
clock.py        a wall clock that jumps
inputs.py       damaged files, bombs, large tables, gold and journals of others, plugins that fail, odd names
provider.py     a model's provider that misbehaves
turns.py        conversations of which a turn fails
silence.py      one unit of ten dropped, damaged, doubled, refused or cut, in each stage
servers.py      `view` and `mcp --http`: crowds, intruders, clients that vanish
fetching.py     addresses, redirects, names and bodies that want to be let in
texts.py        texts of strangers in prompts, pages and terminals
"""
