"""What pages are made of: tags, numbers in words and digits, small drawings, files to take along."""
