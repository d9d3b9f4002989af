"""Measure whether the mm command-line tool makes AI agents more capable and faster.

The half that does (`mmbench.bench`) writes records, the half that shows
(`mmbench.report`) reads them; the modules beside this one are the contract
between the two and import neither.
"""

__version__ = "0.1.0"
