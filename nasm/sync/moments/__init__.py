"""Names for moments: from who comes after what to waits and updates of semaphores."""
