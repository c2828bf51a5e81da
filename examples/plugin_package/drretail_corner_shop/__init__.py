"""One plugin of each kind for drretail."""
