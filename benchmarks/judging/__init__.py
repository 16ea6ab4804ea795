"""The judging server under load and under faults, with its databases side by side."""
