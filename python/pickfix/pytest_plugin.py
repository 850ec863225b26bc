"""``pytest --pickfix``: a section under each failing test that a rule knows."""

import traceback

import pytest

from . import program


def pytest_addoption(parser):
    """Add the option; without it the plugin does nothing."""
    group = parser.getgroup("pickfix")
    group.addoption(
        "--pickfix",
        action="store_true",
        help="say under a failing test why it failed and what to type, where pickfix knows",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Add a section to the report of a failure; with xdist this runs in the worker."""
    outcome = yield
    if not item.config.getoption("--pickfix") or call.excinfo is None:
        return
    report = outcome.get_result()
    if not report.failed:
        return
    error = call.excinfo.value
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    # What the test's processes printed comes first: it came first.
    text = report.capstderr + report.capstdout + "".join(lines)
    try:
        annotation = program.annotations(text, ["--color", "never", "--no-state"])
    except Exception as fault:  # the test's own failure is what counts
        annotation = "pickfix: {}".format(fault)
    if not annotation:
        return
    if hasattr(report.longrepr, "addsection"):
        report.longrepr.addsection("pickfix", annotation, "-")
    else:
        report.sections.append(("pickfix", annotation))
