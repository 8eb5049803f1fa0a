"""What Blackhole adds to Wormhole, and what differs there."""
