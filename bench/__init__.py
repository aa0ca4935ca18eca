"""Benchmarks: Lycosa beside its rivals, on the same loopback web and the same core."""
