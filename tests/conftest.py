"""What holds for all tests: no example of a property test fails because the machine was busy, or only now and then.

`HYPOTHESIS_PROFILE=searching make test` draws other examples each time, to find what nobody thought of.
"""

import os

from hypothesis import settings

settings.register_profile("lycosa", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lycosa"))
