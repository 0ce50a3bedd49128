"""One open workspace: folder, ledger, index and journal, kept in step."""
