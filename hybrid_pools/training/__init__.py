"""What training teams run."""
