"""The doors of one run: agents of others find there the services, the shop and the model that they know.

doors.py           all of them as one application, which a run opens and closes
gateway.py         the one address at which they are, a proxy that ends TLS too
sealing.py         a network of a command's own, in which nothing else can be reached
sealed_command.py  what runs within it
environment.toml   the variables by which clients find the gateway
services.py        search services and extractors in their own protocols
services.toml      where each search is, what it takes and what it gives
world_door.py      what they all ask: a search that mixes pages and products, pages, a cart, all of it evidence
pages.py           pages of the shop and of the web, as HTML that needs no script and as Markdown
templates/         how pages, and answers of the model's door, are written
model_door.py      the run's models behind the addresses of providers
protocols.py       OpenAI's and Anthropic's requests, answers and streams
"""
