"""Time: queues, channels, semaphores and memory. No instruction, no target and no text in here."""
