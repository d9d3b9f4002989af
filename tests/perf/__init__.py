"""Measurements of speed: medians and ratios of one run, printed and never asserted."""
