"""An experiment in the form of the paper's tables and figures, each line beside the paper's own."""
