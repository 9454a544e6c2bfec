"""Measures what the project promises, as ratios within one run where machines are noisy."""
