"""Results that show themselves: tables as text, Markdown, LaTeX, HTML, JSON, frames, and plots."""
