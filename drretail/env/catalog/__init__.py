"""Product search: ``base.Catalog`` is the contract, the other files implement it."""
