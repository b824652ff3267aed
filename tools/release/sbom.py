#!/usr/bin/env -S python3 -B
"""Writes the bill of materials of a release, SPDX 2.3 as JSON: what is inside the programs, with versions and licences.

    sbom.py VERSION COMMIT SECONDS-SINCE-1970 PROGRAM... >FILE     needs what tools/package/run has built

The same commit, built with the same, has the same bill to the byte. Libraries of the system, which the programs load, are what the
packages depend on, and not in it; a program given as NAME.static has those inside, too.
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-package"
APACHE, WITH_EXCEPTION = "Apache-2.0", "Apache-2.0 WITH Swift-exception"
# What packages have inside beside their own code.
INSIDE = {"swift-nio-ssl": [("BoringSSL", "Apache-2.0 AND MIT")], "swift-nio": [("llhttp", "MIT")]}
OF_GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"


def debian(package):
    """The version of an installed Debian package."""
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, check=True, text=True).stdout


def licence(identity):
    """The licence of a dependency, by its own file."""
    text = next((WORK / "checkouts" / identity).glob("LICENSE*")).read_text()
    if "Apache License" not in text:
        sys.exit(f"sbom: error: {identity} has a licence that is not known here. hint: read it, and write its SPDX expression into sbom.py")
    return WITH_EXCEPTION if re.search("Runtime Library Exception", text, re.I) else APACHE


def package(identifier, name, version, expression, place="NOASSERTION", **more):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": place,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": expression, "copyrightText": "NOASSERTION", "filesAnalyzed": False, **more}


def parts():
    """What is inside each program, and what only a static one has."""
    swift = re.search(r"Swift version (\S+)", subprocess.run(["swiftc", "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout)[1]
    gcc = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    always = [package("swift-runtime", "Swift runtime and standard library", swift, WITH_EXCEPTION),
              package("libstdcxx", "libstdc++", debian(f"libstdc++-{gcc}-dev"), OF_GCC)]
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        name, version = pin["identity"], pin["state"]["version"]
        place = f"git+{pin['location']}@{pin['state']['revision']}"
        purl = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": "pkg:swift/" + re.sub(r"^https://|\.git$", "", pin["location"]) + f"@{version}"}
        always.append(package(name, name, version, licence(name), place, externalRefs=[purl]))
        for inner, expression in INSIDE.get(name, []):
            always.append(package(inner, inner, f"as in {name} {version}", expression, place))
    static = [package("glibc", "GNU C library", debian("libc6-dev"), "LGPL-2.1-or-later"),
              package("libgcc", "libgcc", debian(f"libgcc-{gcc}-dev"), OF_GCC),
              package("openssl", "OpenSSL", debian("libssl-dev"), APACHE), package("zlib", "zlib", debian("zlib1g-dev"), "Zlib")]
    return always, static


def main(version, commit, time, *programs):
    always, static = parts()
    packages, relations = [], []

    def relate(one, kind, other):
        relations.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    for path in map(pathlib.Path, programs):
        is_static = path.suffix == ".static"
        file = path.with_suffix("") if is_static else path
        data = path.read_bytes()
        own = package(file.name + ("-static" if is_static else ""), file.name, version, APACHE,
                      packageFileName=file.name, primaryPackagePurpose="APPLICATION",
                      checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}])
        packages.append(own)
        relate("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])
        for part in always + (static if is_static else []):
            relate(own["SPDXID"], "STATIC_LINK", part["SPDXID"])
    inside = always + (static if any(path.endswith(".static") for path in programs) else [])
    created = datetime.datetime.fromtimestamp(int(time), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"hybrid-transport-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/hybrid-transport-{version}-{commit}",
        "creationInfo": {"created": created, "creators": ["Organization: hybrid-transport maintainers"]},
        "packages": packages + inside, "relationships": relations}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
