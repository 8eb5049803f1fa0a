"""Sync unit and wait gate: mutexes, semaphores, latched waits."""
