"""Agents in the demo's shop, as ``langgraph dev`` serves them and as LangGraph's Studio shows them."""

from drretail import open_model, open_world
from drretail.agents import graph

WORLD = open_world("demo")
MODEL = open_model("offline:shopper")  # or "anthropic:NAME", and so on

react = graph("react", world=WORLD, model=MODEL)
hybrid_react = graph("hybrid_react", world=WORLD, model=MODEL)
grounded_hybrid = graph("grounded_hybrid", world=WORLD, model=MODEL)
