"""From sessions to the tables that pages show: pure, no text and no disk."""
