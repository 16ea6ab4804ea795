"""What gold labels bring, replayed on labels that exist: which to buy, when to look, what to judge next."""
