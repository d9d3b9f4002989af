"""The pages: each module turns tables into `Page` values and touches no disk but to read details."""
