"""The page and the REST API over the same pipeline: ``dovetail serve`` (docs/web.md)."""
