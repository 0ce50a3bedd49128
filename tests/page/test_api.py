"""What the API answers is what its description says, whatever is asked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import ATTEMPTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.page.conftest import Serve

EXAMPLES, MANY = 60, 600
"""Of each thing that can be asked."""

CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_schema_conformance", "positive_data_acceptance", "ignored_auth"),
)


def test_every_answer_of_the_api_is_as_described(
    serve: Serve,
    root: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    pytest.importorskip("schemathesis", reason="`make test-page` installs it")
    running = serve(root).running

    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run"),
            f"{running.url}/api/openapi.json",
            *("--header", f"Authorization: Bearer {running.token}"),
            *("--max-examples", str(MANY if full else EXAMPLES), "--seed", "20"),
            *("--checks", ",".join(CHECKS), "--no-color", "--generation-database=none"),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    tried = re.search(r"([0-9]+) generated", done.stdout)
    assert tried is not None, done.stdout
    assert int(tried[1]) > EXAMPLES
    record_property(f"{ATTEMPTS}requests of the API, as described", tried[1])
