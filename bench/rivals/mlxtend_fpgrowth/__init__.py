"""Frequent sets by mlxtend's FP-growth and by efficient-apriori, in an environment of their own."""
