"""What all tests share: how random examples are drawn."""

from hypothesis import settings

# A machine that is busy is not a bug: nothing here is timed.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
