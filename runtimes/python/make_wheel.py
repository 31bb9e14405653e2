#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the built package: make_wheel.py PACKAGE CONFIGS FOLDER VERSION.

The presets travel in the package. Its extension module is linked with the libraries of the system
that it was built on (SystemC, fmt, Boost), so that the wheel is for such systems.
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile


def main():
    package, configs, folder = map(pathlib.Path, sys.argv[1:4])
    version = sys.argv[4]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"simtlm-{version}.dist-info"
    files = {f"simtlm/{f.name}": f.read_bytes() for f in sorted(package.iterdir()) if f.is_file()}
    files.update({f"simtlm/configs/{f.relative_to(configs).as_posix()}": f.read_bytes()
                  for f in sorted(configs.rglob("*")) if f.is_file()})
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: simtlm\nVersion: {version}\n"
        "Summary: A cycle-level GPU simulator that is a SystemC model\nLicense: Apache-2.0\n"
        "Requires-Python: >=3.8\nRequires-Dist: numpy\n"
        "Provides-Extra: plots\nRequires-Dist: matplotlib; extra == 'plots'\n"
        "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\n").encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: simtlm\nRoot-Is-Purelib: false\n"
                              f"Tag: {python}-{python}-{platform}\n").encode()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = folder / f"simtlm-{version}-{python}-{python}-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    print(wheel)


if __name__ == "__main__":
    main()
