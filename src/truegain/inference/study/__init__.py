"""One model in which all that was sampled meets: what each source moves, how it adds up, what follows."""
