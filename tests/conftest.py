"""What holds for all tests: no example of a property test fails because the machine was busy."""

from hypothesis import settings

settings.register_profile("lycosa", deadline=None)
settings.load_profile("lycosa")
