"""One file a task: what an assessor is asked, how the answer is read, and what a finished unit must satisfy."""
