"""Benchmarks: suites of cases, run in fresh processes, raw rows appended, tables made from the rows only."""
