"""Time and memory of truegain and its peers, side by side; see README.md."""
