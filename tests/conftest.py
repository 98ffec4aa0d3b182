"""What every test shares: asyncio as the only event loop, and Hypothesis without a stopwatch."""

import pytest
from hypothesis import settings

# A busy machine must not turn a property red, and a run must give what the run before it gave.
settings.register_profile("viva", deadline=None, derandomize=True)
settings.load_profile("viva")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
