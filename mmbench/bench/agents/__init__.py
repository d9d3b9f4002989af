"""The agent CLIs, by name: adding one is one file and one line here."""
