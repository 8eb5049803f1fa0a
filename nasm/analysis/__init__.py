"""What one run says about its program: deadlocks, profiles, a summary in sentences."""
