"""Do the tests bite: small faults put into the code at random, and the share of them that some test notices."""
