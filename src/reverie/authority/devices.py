"""The devices of a workspace: their signing keys, and the signed list in history.

The list is a Markdown file, so that users can read it:

    | Device | Name | Added | Public key | Added by | Signature |
    |---|---|---|---|---|---|
    | 5b1c09ab44de0f31 | laptop | 2026-02-02 | … | 5b1c09ab44de0f31 | … |

The first device signs its own row. A later row counts if a device whose row counts has
signed it. `cryptography` is imported only where something is signed or verified.
"""

from __future__ import annotations

import hashlib
import hmac
import platform
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import parse_row, render_row

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ID_DIGITS = 16
"""Hexadecimal digits of a device ID, the fingerprint of its public key."""

COLUMNS = ("Device", "Name", "Added", "Public key", "Added by", "Signature")

_ID = re.compile(rf"[0-9a-f]{{{ID_DIGITS}}}")

PAGE = """\
# Devices

Devices whose changes count in this workspace. Each row is signed with the key of the
device in its column "Added by"; `reverie workspace` verifies the list.

"""


class Device(Struct, frozen=True):
    """A row of the device list.

    Attributes:
        id: Fingerprint of the public key.
        name: Name that the user reads.
        added: Day on which it was added, as `YYYY-MM-DD`.
        public_key: Ed25519 public key, hexadecimal.
        added_by: ID of the device that signed the row.
        signature: Signature of the row, hexadecimal.
    """

    id: str
    name: str
    added: str
    public_key: str
    added_by: str
    signature: str = ""

    def message(self, workspace_id: str) -> bytes:
        """Return the bytes that are signed."""
        fields = (self.id, self.name, self.added, self.public_key, self.added_by)
        return "\n".join(("reverie device 1", workspace_id, *fields)).encode()


def derive_signing_key(seal_key: bytes) -> Ed25519PrivateKey:
    """Return the signing key of a device, derived from its secret key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )

    seed = hmac.digest(seal_key, b"reverie device signing key 1", "sha256")
    return Ed25519PrivateKey.from_private_bytes(seed)


def describe_this_device(seal_key: bytes, added: str) -> Device:
    """Return the unsigned row of this device, added by itself."""
    public_key = derive_signing_key(seal_key).public_key().public_bytes_raw()
    id_ = fingerprint(public_key)
    name = "".join(c for c in platform.node() if c.isalnum() or c in ".-_")[:40]
    return Device(id_, name or "device", added, public_key.hex(), id_)


def sign_device(device: Device, workspace_id: str, seal_key: bytes) -> Device:
    """Return a row with the signature of this device."""
    key = derive_signing_key(seal_key)
    signature = key.sign(device.message(workspace_id)).hex()
    fields = (device.id, device.name, device.added, device.public_key, device.added_by)
    return Device(*fields, signature)


def fingerprint(public_key: bytes) -> str:
    """Return the ID of a device."""
    return hashlib.sha256(public_key).hexdigest()[:ID_DIGITS]


def find_valid_devices(
    devices: tuple[Device, ...], workspace_id: str
) -> tuple[Device, ...]:
    """Return the devices whose rows count, in the order of the list."""
    known: dict[str, Device] = {}
    for number, device in enumerate(devices):
        signer = device if number == 0 else known.get(device.added_by)
        if signer and _is_signed(device, signer, workspace_id):
            known[device.id] = device
    return tuple(known.values())


def _is_signed(device: Device, signer: Device, workspace_id: str) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PublicKey,
    )

    try:
        public_key = bytes.fromhex(device.public_key)
        if device.id != fingerprint(public_key) or device.added_by != signer.id:
            return False
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer.public_key))
        key.verify(bytes.fromhex(device.signature), device.message(workspace_id))
    except (ValueError, InvalidSignature):
        return False
    return True


def render_devices(devices: tuple[Device, ...]) -> str:
    """Render the device list as Markdown."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    rows += [
        (d.id, d.name, d.added, d.public_key, d.added_by, d.signature) for d in devices
    ]
    return PAGE + "".join(map(render_row, rows))


def parse_devices(text: str) -> tuple[Device, ...]:
    """Parse the device list; lines of another form are left out."""
    rows = map(parse_row, text.splitlines())
    return tuple(
        Device(*row)
        for row in rows
        if len(row) == len(COLUMNS) and _ID.fullmatch(row[0])
    )
