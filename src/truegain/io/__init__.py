"""Files in and out: readers, writers, compression, addresses, and files larger than memory."""
