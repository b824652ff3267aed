"""Runs python-fido2's own tests of authenticators by a security key whose user is not to be asked.

    device_tests.py           by the key that the kernel shows
    device_tests.py SOCKET    by a key whose reports come through this socket: see programs.py

tools/setup peers takes the tests out of python-fido2's sources. They skip what a key does not offer, and what can be seen only of a
key that was reset: ours has no reset, since passkeys are deleted by `hybrid passkeys`. Arguments after "--" are pytest's.
"""

import pathlib
import sys

import pytest

from through_socket import found, through_socket

TESTS = pathlib.Path(sys.prefix) / "fido2-tests"


class OneKey:
    """Has the tests take the one key that is there, although it verifies its user and cannot be reset."""

    @staticmethod
    def pytest_collection_modifyitems():
        from tests.device import conftest

        def take(manager, printer, reader, ccid):
            manager.printer, manager._transport, manager._reader, manager._can_reset = printer, "usb", None, False
            manager._dev = key

        conftest.DeviceManager.__init__ = take


words = sys.argv[1:]
end = words.index("--") if "--" in words else len(words)
key = through_socket(words[0]) if end else found()
sys.path.insert(0, str(TESTS))
sys.exit(pytest.main([f"--rootdir={TESTS}", "-p", "no:cacheprovider", "-q", "-rsf", *words[end + 1 :], str(TESTS / "tests/device")],
                     plugins=[OneKey()]))
