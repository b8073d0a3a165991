"""The hot loops of the logic grids. Flat arrays in, flat arrays out; naive twins in tests/naive."""
