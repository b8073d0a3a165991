"""Scans of fragments that lie apart on a plain ground."""
