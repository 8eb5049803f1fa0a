"""What holds a coprocessor together: what is under way, who waits for whom, what takes how long."""
