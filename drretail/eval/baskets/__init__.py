"""What a cart, or a refusal, is worth beside the baskets that keep to the wish (``grounding.basket``).

distance.py  what the picks come to beside the cheapest and the best basket
refusal.py   a declared outcome beside the proof; whether a run made the searches by which it could know
"""
