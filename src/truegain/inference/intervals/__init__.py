"""Every score with its interval: confidence limits, and what they are drawn over."""
