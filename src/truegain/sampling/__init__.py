"""What was sampled, one file a source: its units, what holds them, and the weights of leaving out or drawing them."""
