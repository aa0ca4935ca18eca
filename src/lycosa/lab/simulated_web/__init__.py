"""A web that is a function of (URL, seed): hosts, topics, templates, traps, errors, changes, with its ground truth."""

from lycosa.lab.simulated_web.notation import BoxSettings, parse_box
from lycosa.lab.simulated_web.web import PageTruth, SimulatedFetcher, SimulatedWeb, simulated_fetcher

__all__ = ["BoxSettings", "PageTruth", "SimulatedFetcher", "SimulatedWeb", "parse_box", "simulated_fetcher"]
