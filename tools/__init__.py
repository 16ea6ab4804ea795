"""What maintainers run: pages written from the code, and releases."""
