"""Hostile input for every reader: one table of targets, one oracle, one way to garble what is valid.

``test_readers.py`` tries a little of it in `make test`; ``benchmarks/fuzz_readers.py`` is the long job.
"""
