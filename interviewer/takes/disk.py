"""Work on the disk in a thread, so that the event loop goes on; what fails is one error."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from interviewer.errors import StoreUnavailable

P = ParamSpec("P")
T = TypeVar("T")


async def on_disk(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run in a thread. Raises StoreUnavailable where the disk refuses."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except OSError as error:
        raise StoreUnavailable(
            f"the disk refused ({error.strerror or error}); what was acknowledged is kept"
        ) from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, readable by its owner only."""
    half = path.with_suffix(".tmp")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
