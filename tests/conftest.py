"""Settings of all tests: property tests have no clock (CI machines are busy) and no luck in CI."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "quantcheck",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("quantcheck")
