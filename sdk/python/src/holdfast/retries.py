"""Which failed requests are repeated, and when."""

from __future__ import annotations

import random
import re
import time
from email.utils import parsedate_to_datetime

from .errors import APIConnectionError, APIError, HoldfastError

_FIRST_DELAY = 0.5
_MAX_DELAY = 8.0


def retry_delay(
    error: HoldfastError, *, is_repeatable: bool, failures: int, remaining: float, max_retries: int
) -> float | None:
    """Seconds until a request that has failed `failures` times is repeated; None: it is not."""
    if failures > max_retries or not _is_curable(error, is_repeatable):
        return None
    requested = requested_delay(error)
    delay = backoff(failures) if requested is None else requested
    return None if delay > remaining else delay


def _is_curable(error: HoldfastError, is_repeatable: bool) -> bool:
    if isinstance(error, APIConnectionError):
        return is_repeatable or error.is_unsent
    if not isinstance(error, APIError):
        return False
    # Refused before anything was done.
    if error.status in (408, 429):
        return True
    return error.status >= 500 and error.retryable and is_repeatable


def may_be_done(error: HoldfastError) -> bool:
    """Whether a request that failed may have been processed, though its response did not arrive."""
    if isinstance(error, APIConnectionError):
        return not error.is_unsent
    return isinstance(error, APIError) and error.status >= 500


def backoff(failures: int, longest: float = _MAX_DELAY) -> float:
    """Half of the delay is random, so that clients which failed together do not return together."""
    delay = min(longest, _FIRST_DELAY * 2 ** (failures - 1))
    return delay / 2 + random.random() * delay / 2


def requested_delay(error: HoldfastError) -> float | None:
    """`Retry-After` in seconds, with a little more at random."""
    text = error.headers.get("retry-after") if isinstance(error, APIError) else None
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        seconds = float(text)
    else:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) + random.random() * _FIRST_DELAY
