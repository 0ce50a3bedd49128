"""Where a server is, and whether that is this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from reverie.minds.mind import MindUnavailableError

_PORTS = {"http": 80, "https": 443}


class BadAddressError(MindUnavailableError):
    """Nobody can live at such an address."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{_without_user(url)!r} is not the address of a server",
            hint='Set `mind.url` to one such as "http://localhost:11434/v1".',
        )


def _without_user(url: str) -> str:
    """An address without the name and password that somebody wrote into it."""
    return re.sub(r"//[^/]*@", "//…@", url)


@dataclass(frozen=True, slots=True)
class Address:
    """A server's address, taken apart."""

    url: str
    secure: bool
    host: str
    port: int
    path: str

    @property
    def here(self) -> bool:
        """Whether it is this machine for certain: by its name, or a loopback number.

        What only resolves to this machine today may be another one tomorrow.
        """
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(url: str) -> Address:
    """Take an address apart, or raise `BadAddressError`."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddressError(url) from error
    if parts.scheme not in _PORTS or not host or re.search(r"[\s@?#]", url):
        raise BadAddressError(url)
    path = quote(parts.path.rstrip("/"), safe="/%~:@!$&'()*+,;=")
    port = port or _PORTS[parts.scheme]
    return Address(url, parts.scheme == "https", host, port, path)
