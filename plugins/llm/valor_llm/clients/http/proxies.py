"""Proxies: connections to a host, through what the environment names for it."""

from __future__ import annotations

import ssl
import urllib.request
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import urllib3

from valor_core.errors import ResourceError

KEPT = 1024  # connections; more calls than that are never under way


def connections(scheme: str, host: str, place: str) -> urllib3.PoolManager:
    """Connections to a host, through a proxy where the environment names one for it."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if proxy is None or _is_here(host) or urllib.request.proxy_bypass(host):
        context = ssl.create_default_context() if scheme == "https" else None
        return urllib3.PoolManager(maxsize=KEPT, ssl_context=context)
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    # A slash in a password would end the host within it.
    is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.path
    if not is_one or not _has_port(parts):
        raise ResourceError(
            f"{place}: expected an http proxy for {host} in the environment, found another",
            f"Set {scheme}_proxy to http://HOST:PORT (%2F for a slash in a secret), or no_proxy to "
            f"{host}",
        )
    user = None if parts.username is None else f"{parts.username}:{parts.password or ''}"
    context = ssl.create_default_context()
    return urllib3.ProxyManager(
        f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        maxsize=KEPT,
        ssl_context=context,
        proxy_ssl_context=context,
        proxy_headers=urllib3.make_headers(proxy_basic_auth=user) if user else None,
    )


def _has_port(parts: SplitResult) -> bool:
    """Whether the port is a number or is not there."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def _is_here(host: str) -> bool:
    """Whether a host is this machine, which no proxy leads to."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host.casefold().rstrip(".") == "localhost"
