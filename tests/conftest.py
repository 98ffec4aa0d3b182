"""What every test shares: asyncio as the only event loop, Hypothesis without a stopwatch, and no
test left out in CI.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

# A busy machine must not turn a property red, and a run must give what the run before it gave.
settings.register_profile("viva", deadline=None, derandomize=True)
settings.load_profile("viva")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a part that is missing fails its tests; the report says which."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report
