"""Shredded paper."""
