"""Do intervals hold the truth as often as they promise?  Simulated worlds whose truth is known, a file a family."""
