"""The settings of a client."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version as _version_of
from urllib.parse import urlsplit

import httpx

version = _version_of("holdfast")


class _WithoutSignatures(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                one.copy_with(query=None) if isinstance(one, httpx.URL) and b"Signature=" in one.query else one
                for one in record.args
            )
        return True


_without_signatures = _WithoutSignatures()


def hide_signatures() -> None:
    """httpx logs each URL: a signed one lets its reader upload."""
    logging.getLogger("httpx").addFilter(_without_signatures)


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str = field(repr=False)
    timeout: float
    """Seconds that one HTTP request may take."""
    max_retries: int
    retry_deadline: float
    """Seconds after which a failed request is no longer repeated."""
    headers: Mapping[str, str]


def read_settings(
    *,
    base_url: str | None,
    api_key: str | None,
    timeout: float,
    max_retries: int,
    retry_deadline: float,
    headers: Mapping[str, str] | None,
) -> Settings:
    """Raises ValueError if a setting is missing or invalid."""
    # An empty key of a caller must not become the one of this process.
    key = os.environ.get("HOLDFAST_API_KEY") if api_key is None else api_key
    if not key:
        raise ValueError("There is no API key: pass `api_key` or set HOLDFAST_API_KEY.")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The API key has a character that no key has.")
    url = os.environ.get("HOLDFAST_URL") if base_url is None else base_url
    if not url:
        raise ValueError("There is no URL: pass `base_url` or set HOLDFAST_URL.")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'"{url}" is not a URL such as https://holdfast.example.com.')
    if parts.username or parts.password:
        raise ValueError("The URL must have no user name or password.")
    for name, value in (("timeout", timeout), ("max_retries", max_retries), ("retry_deadline", retry_deadline)):
        if not value >= 0:
            raise ValueError(f"{name} must be a number that is not negative.")
    return Settings(url.rstrip("/"), key, timeout, max_retries, retry_deadline, dict(headers or {}))
