"""Ways to write a table, one file each; none knows another."""
