"""What engines, transfers and semaphores do now, and why they wait."""
