"""Do two score vectors order the systems alike: rank correlations, overlap, swaps."""
