"""Eroded pictures: square patches with gaps between them, put together by networks and tree search."""
