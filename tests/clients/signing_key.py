"""Makes a key pair for agent cards.

    python signing_key.py private.pem public.pem
"""

import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

key = ec.generate_private_key(ec.SECP256R1())
private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
public = key.public_key().public_bytes(
    Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
)
Path(sys.argv[1]).write_bytes(private)
Path(sys.argv[2]).write_bytes(public)
