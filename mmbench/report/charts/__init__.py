"""Charts: each function turns tables into a `Figure`, a Vega-Lite specification with its words and its table."""
