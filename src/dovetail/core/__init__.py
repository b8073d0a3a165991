"""The contracts everything else is written against. Imports nothing else of dovetail."""
