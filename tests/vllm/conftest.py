"""One real vLLM for the whole folder, and the marker that keeps it out of `make test`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vllm.server import MODEL, Running, VllmServer, installed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.vllm)


@pytest.fixture(scope="session")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A real vLLM with a model of 135M parameters, or the one that the environment names."""
    if root := os.environ.get("VIVA_TEST_VLLM_URL"):
        yield Running(root, os.environ.get("VIVA_TEST_VLLM_MODEL", MODEL))
        return
    with VllmServer(installed(), tmp_path_factory.mktemp("vllm")) as server:
        yield server
