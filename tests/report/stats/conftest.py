"""Property tests here have no deadline: how long an oracle takes says nothing about the statistics."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
