"""The check that schemathesis runs on every answer beside its own."""

from typing import Any

import schemathesis


@schemathesis.check
def every_number_has_a_unit(ctx: Any, response: Any, case: Any) -> None:  # noqa: ANN401
    """A calculator's answer names the unit of its headline and of each measure."""
    if response.status_code != 200 or case.method != "POST":
        return
    result = response.json()
    unnamed = [key for key, measure in result["measures"].items() if not measure["unit"]]
    assert result["unit"], f"{result['tool']}: the headline has no unit"
    assert not unnamed, f"{result['tool']}: no unit for {unnamed}"
