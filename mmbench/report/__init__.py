"""The half that shows: from the ledger, through statistics and figures, to a static site."""
