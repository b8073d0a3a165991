"""Pieces that are eroded, noisy, compressed or unevenly bright."""
