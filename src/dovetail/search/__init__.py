"""Tree search, shared by the families. Knows no puzzle: what it searches is a set of rules, given as kernels."""
