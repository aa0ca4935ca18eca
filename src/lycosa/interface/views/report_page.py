"""A crawl's report as one HTML file that needs nothing else: style, plots and tables inside."""

from __future__ import annotations

from importlib.resources import files

from markupsafe import Markup

from lycosa.duplicates.url_rewriter import DustRule
from lycosa.inspection.report import MOST_SITES, Report
from lycosa.interface.shared.charts import Axis, Series, line_chart
from lycosa.interface.shared.rendering import rendered


def report_page(report: Report) -> str:
    """The report of a crawl."""
    style = files("lycosa.interface").joinpath("static/lycosa.css").read_text("utf-8")
    status = report.status
    return rendered(
        "report.html",
        style=Markup(style),
        report=report,
        status=status,
        found=_found(report),
        speed=_speed(report),
        stages_total=sum(stage["cpu"] for stage in status.stages.values()),
        failed=sorted(status.failed.items(), key=lambda item: -item[1]),
        rules=[rule_told(rule) for rule in report.known.rules[:MOST_SITES]],
        refused=sorted(status.refused.items(), key=lambda item: -item[1]),
        placeholders=sorted(status.placeholders.items(), key=lambda item: -item[1]),
    )


def rule_told(rule: DustRule) -> str:
    """A rule of spelling with its evidence, for people."""
    where = rule.site + (rule.place or ", everywhere")
    told = f"{where}: {rule.rewrite}; {rule.agreements} contents agree, {rule.contradictions or 'none'} differ"
    return told + (f", such as {rule.examples[0][0]} and {rule.examples[0][1]}" if rule.examples else "")


def _found(report: Report) -> Markup:
    relevant = tuple((float(point.pages), float(point.relevant)) for point in report.curve)
    perfect = tuple((x, x) for x, _ in relevant)
    return line_chart(
        [Series("relevant pages", relevant), Series("if all were relevant", perfect)],
        "Relevant pages found",
        Axis("pages fetched"),
        Axis("relevant"),
        f"{report.status.sums['relevant']} of {report.status.sums['fetched']} pages are relevant",
    )


def _speed(report: Report) -> Markup:
    first = report.curve[0].at if report.curve else 0.0
    pages = tuple((point.at - first, float(point.pages)) for point in report.curve)
    told = f"{report.pages_per_second:.1f} pages a second over all"
    return line_chart([Series("pages", pages)], "Pages over time", Axis("seconds"), Axis("pages"), told)
