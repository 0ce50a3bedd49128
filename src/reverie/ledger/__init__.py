"""The one door for writes: git history, audit log, alerts, rollback, erasure.

Design, section 12. Nothing else in Reverie changes a file that holds truth.
"""

from reverie.ledger.git_ledger import Ledger

__all__ = ["Ledger"]
