#!/usr/bin/python3
"""Stands in for polkitd and fprintd on a bus of its own, and misbehaves as it is told.

Usage: stand_in.py BEHAVIOUR [tcp | at=SOCKET]. The first line is the bus's address; then comes a line for every call. What the real ones do, `real_polkit.py`
and `real_fprintd.py` show.
"""
import os
import sys

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import TCP, run, say, start_bus  # noqa: E402

POLKIT, AUTHORITY = "org.freedesktop.PolicyKit1", "org.freedesktop.PolicyKit1.Authority"
FPRINT, MANAGER, DEVICE = "net.reactivated.Fprint", "net.reactivated.Fprint.Manager", "net.reactivated.Fprint.Device"
PATH = "/net/reactivated/Fprint/Device/0"
BEHAVIOUR = sys.argv[1]
FLOOD = 5_000


class Error(dbus.DBusException):
    def __init__(self, name):
        super().__init__("as told")
        self._dbus_error_name = name


class Authority(dbus.service.Object):
    @dbus.service.method(AUTHORITY, in_signature="(sa{sv})sa{ss}us", async_callbacks=("done", "failed"))
    def CheckAuthorization(self, subject, action, details, flags, cancellation, done, failed):
        say("check", int(flags))
        if BEHAVIOUR == "hang" or flags and BEHAVIOUR == "hang-later":
            return
        if BEHAVIOUR == "killed" and flags:
            os._exit(0)
        if BEHAVIOUR == "gone" and flags:
            # The name goes; the call is answered by nobody.
            bus.release_name(POLKIT)
            GLib.timeout_add(100, os._exit, 0)
            return
        if BEHAVIOUR == "kept" and not flags:
            answer(done, False, True, {"polkit.retains_authorization_after_challenge": "1"})
        elif BEHAVIOUR == "kept-later" and flags:
            answer(done, True, False, {"polkit.temporary_authorization_id": "tmpauthz0"})
        elif BEHAVIOUR == "wrong" and flags:
            answer(done, False, False, {})
        elif BEHAVIOUR == "yes":
            answer(done, True, False, {})
        elif BEHAVIOUR == "no":
            answer(done, False, False, {})
        elif BEHAVIOUR == "wrong-type":
            done(dbus.Struct((dbus.UInt32(1), dbus.UInt32(0), "x"), signature="uus"))
        elif BEHAVIOUR == "wrong-type-later" and flags:
            done("yes")
        elif BEHAVIOUR == "refused-details":
            failed(Error(f"{POLKIT}.Error.NotAuthorized"))
        elif BEHAVIOUR == "cancelled" and flags:
            failed(Error(f"{POLKIT}.Error.Cancelled"))
        else:
            answer(done, bool(flags), not flags, {})

    @dbus.service.method(AUTHORITY, in_signature="s")
    def CancelCheckAuthorization(self, cancellation):
        say("cancel")


def answer(done, authorized, challenge, details):
    done(dbus.Struct((authorized, challenge, dbus.Dictionary(details, signature="ss")), signature="bba{ss}"))


class Manager(dbus.service.Object):
    @dbus.service.method(MANAGER)
    def GetDefaultDevice(self):
        return 7 if BEHAVIOUR == "wrong-device" else dbus.ObjectPath(PATH)


class Device(dbus.service.Object):
    @dbus.service.method(DEVICE, in_signature="s")
    def ListEnrolledFingers(self, user):
        if BEHAVIOUR == "wrong-fingers":
            return dbus.Array([1, 2], signature="u")
        return dbus.Array([] if BEHAVIOUR == "no-fingers" else ["right-thumb"], signature="s")

    @dbus.service.method(DEVICE, in_signature="s", async_callbacks=("done", "failed"), sender_keyword="sender")
    def Claim(self, user, done, failed, sender):
        say("claim")
        self.caller = sender
        if BEHAVIOUR == "denied":
            failed(Error(f"{FPRINT}.Error.PermissionDenied"))
            return
        if BEHAVIOUR == "claim-hang":
            return
        if BEHAVIOUR == "early":
            # Another program's finger, before the reader is ours.
            self.VerifyStatus("verify-match", True)
        done()

    @dbus.service.method(DEVICE)
    def Release(self):
        say("release")

    @dbus.service.method(DEVICE, in_signature="s")
    def VerifyStart(self, finger):
        say("start")
        if BEHAVIOUR == "start-fails":
            raise Error(f"{FPRINT}.Error.Internal")
        GLib.timeout_add(100, self.happen)

    @dbus.service.method(DEVICE)
    def VerifyStop(self):
        say("stop")

    @dbus.service.signal(DEVICE, signature="sb")
    def VerifyStatus(self, status, done):
        pass

    def happen(self):
        if BEHAVIOUR == "gone":
            bus.release_name(FPRINT)
        elif BEHAVIOUR == "killed":
            os._exit(0)
        elif BEHAVIOUR == "forged":
            other = dbus.bus.BusConnection(address)
            Device(other, PATH).VerifyStatus("verify-match", True)
            # What is sent to one connection passes by its subscriptions.
            message = dbus.lowlevel.SignalMessage(PATH, DEVICE, "VerifyStatus")
            message.append("verify-match", True, signature="sb")
            message.set_destination(self.caller)
            other.send_message(message)
            other.flush()
        elif BEHAVIOUR == "nonsense":
            for values, signature in [((7,), "u"), (("verify-match",), "s"), ((True, "verify-match"), "bs")]:
                message = dbus.lowlevel.SignalMessage(PATH, DEVICE, "VerifyStatus")
                message.append(*values, signature=signature)
                bus.send_message(message)
        elif BEHAVIOUR == "unknown":
            self.VerifyStatus("verify-of-the-future", True)
        elif BEHAVIOUR == "error":
            self.VerifyStatus("verify-unknown-error", True)
        elif BEHAVIOUR == "unplugged":
            self.VerifyStatus("verify-disconnected", True)
        elif BEHAVIOUR == "other":
            self.VerifyStatus("verify-no-match", True)
        elif BEHAVIOUR == "retries":
            for _ in range(FLOOD):
                self.VerifyStatus("verify-retry-scan", False)
        elif BEHAVIOUR in ("match", "claim-hang", "denied"):
            self.VerifyStatus("verify-match", True)
        return False


SOCKETS = [word.removeprefix("at=") for word in sys.argv[2:] if word.startswith("at=")]
addresses, bus = start_bus(TCP + "".join(f"<listen>unix:path={path}</listen>" for path in SOCKETS))
address = addresses[0]
kept = [Authority(bus, "/org/freedesktop/PolicyKit1/Authority"), Manager(bus, "/net/reactivated/Fprint/Manager"), Device(bus, PATH)]
if BEHAVIOUR != "absent":
    bus.request_name(POLKIT)
    bus.request_name(FPRINT)
say(addresses[-1] if "tcp" in sys.argv[2:] else address)
run()
