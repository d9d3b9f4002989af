"""The half that does: from a case, through a sandboxed agent, to records in the ledger."""
