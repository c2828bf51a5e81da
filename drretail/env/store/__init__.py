"""The shop's records by id: ``base.Store`` is the contract, the other files implement it."""
