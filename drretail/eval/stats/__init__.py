"""Statistics of comparisons: pure functions over numbers, a file for each kind of question."""
