"""A simulated comparison and its page, made once."""

from collections.abc import Iterator

import pytest

from benchmarks.simulated_report import simulated_report
from reports.html.report_page import render_html
from reports.report import Report
from tests.reports.html.browser import CHROMIUM, Browser


@pytest.fixture(scope="session")
def simulated() -> Report:
    return simulated_report(scale=0.1, seed=1)


@pytest.fixture(scope="session")
def page(simulated: Report) -> str:
    return render_html(simulated)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium here (Debian: apt-get install chromium)")
    with Browser() as opened:
        yield opened
