"""Web search and pages: ``base.Web`` is the contract, the other files implement it."""
