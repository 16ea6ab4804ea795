"""One self-contained HTML page from sections."""
