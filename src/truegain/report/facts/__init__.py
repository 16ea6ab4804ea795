"""What a page is about: everything it says, worked out once, before a word is written."""
