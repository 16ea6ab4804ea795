"""Which labels to buy: what shows a difference at least cost, and the next batch for the gold judge."""
