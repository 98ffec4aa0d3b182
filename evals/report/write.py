"""Writes a report: a page without scripts or network, the whole as JSON, and JUnit for a CI."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evals.comparison import Paired
from evals.report import plots
from evals.report.model import Report
from evals.results import CaseResult
from interviewer.visible import visible

TEMPLATES = Path(__file__).parent
LABELS = ("1", "2", "3", "4")


def write(report: Report, folder: Path) -> None:
    """`report.html`, `report.json` and `junit.xml` in a folder; each is complete or not there."""
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / "report.json", report.model_dump_json(indent=1) + "\n")
    _replace(folder / "junit.xml", junit(report))
    _replace(folder / "report.html", page(report))


def page(report: Report) -> str:
    """The report as HTML; every text in it is escaped, for what candidates say is hostile."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "number": _number, "interval": _interval}
    failed = [case for case in report.cases if not case.ok]
    return environment.get_template("page.html.jinja").render(
        report=report,
        failed=failed,
        gates_plot=Markup(plots.intervals(list(_gate_bars(report)), "Gates")),
        kappa_plot=Markup(plots.intervals(list(_kappa_bars(report)), "Agreement by part")),
        matrices=[
            (part, Markup(plots.confusion(part.found.matrix, LABELS, f"Levels of {part.name}")))
            for part in report.parts
        ],
        paired=[
            (row, Markup(_flip_bar(row)))
            for row in (report.comparison.paired if report.comparison else ())
            if row.only_before or row.only_now
        ],
    )


def junit(report: Report) -> str:
    """Gates and cases as JUnit XML. A case that disagrees is shown, and only a gate fails."""
    suite = Element("testsuite", name=f"viva eval {report.run.subject}")
    failures = skipped = 0
    for gate in report.gates:
        item = SubElement(suite, "testcase", classname="gate", name=gate.name)
        text = f"{_number(gate.value)} {_interval(gate)}, floor {gate.floor:g}, n {gate.n}"
        if gate.outcome == "fail":
            failures += 1
            SubElement(item, "failure", message=text)
        elif gate.outcome == "inconclusive":
            skipped += 1
            SubElement(item, "skipped", message=f"inconclusive: {text}")
    for case in report.cases:
        _junit_case(suite, case)
        skipped += case.state != "scored"
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures))
    suite.set("skipped", str(skipped))
    indent(suite)
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _junit_case(suite: Element, case: CaseResult) -> None:
    item = SubElement(suite, "testcase", classname="case", name=case.id)
    if case.state != "scored":
        SubElement(item, "skipped", message=_xml_safe(f"{case.state}: {case.reason}"))
    elif not case.ok:
        said = ", ".join(f"{name} {case.shown.get(name, '')}" for name in case.passed)
        SubElement(item, "system-out").text = _xml_safe(said)


def _xml_safe(text: str) -> str:
    return "".join(c for c in visible(text) if c.isprintable() or c == "\n")


def _gate_bars(report: Report) -> Iterator[plots.Bar]:
    for gate in report.gates:
        yield plots.Bar(gate.name, gate.value, gate.low, gate.high, floor=gate.floor)


def _kappa_bars(report: Report) -> Iterator[plots.Bar]:
    for part in report.parts:
        ceiling = part.raters.kappa if part.raters else None
        found = part.found
        yield plots.Bar(part.name, found.kappa, found.low, found.high, ceiling=ceiling)


def _flip_bar(row: Paired) -> str:
    return plots.flips(row.both, row.only_before, row.only_now, row.neither, row.aspect)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _interval(thing: object) -> str:
    low, high = getattr(thing, "low", None), getattr(thing, "high", None)
    return "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def _replace(file: Path, text: str) -> None:
    part = file.with_suffix(file.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
