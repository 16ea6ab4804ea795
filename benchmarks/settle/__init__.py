"""Labels until it is known: how many `settle` asks for, and how often it errs, beside other ways."""
