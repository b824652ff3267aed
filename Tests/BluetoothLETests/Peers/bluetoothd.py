#!/usr/bin/python3
"""Stands in for bluetoothd on a bus of its own, and misbehaves as it is told.

Usage: bluetoothd.py BEHAVIOUR [SECONDS]. The first lines are the bus's addresses, `unix:…` and `tcp:…`, which admits any
client; then comes a line for every call. Real is the bus, dbus-daemon; what bluetoothd itself does, the lab shows.
"""
import os
import sys
import time

import dbus
import dbus.service
from gi.repository import GLib

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import TCP, run, say, start_bus  # noqa: E402

ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
MANAGER, ADVERT = "org.bluez.LEAdvertisingManager1", "org.bluez.LEAdvertisement1"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
FIDO, GOOGLE = "0000fff9-0000-1000-8000-00805f9b34fb", "0000fde2-0000-1000-8000-00805f9b34fb"
NEARBY_PRESENCE = "0000fcf1-0000-1000-8000-00805f9b34fb"
PATH = "/org/bluez/hci0"
BEHAVIOUR = sys.argv[1]
FLOOD_RATE = 10_000

DENIAL = '<deny send_destination="org.bluez" send_interface="org.freedesktop.DBus.ObjectManager"/>'


def data(service, *values):
    return dbus.Dictionary({service: dbus.Array([dbus.Byte(value) for value in values], signature="y")}, signature="sv")


def device(address, service_data, kind="public"):
    return f"{PATH}/dev_{address.replace(':', '_')}", {DEVICE: dbus.Dictionary(
        {"Address": address, "AddressType": kind, "ServiceData": service_data, "RSSI": dbus.Int16(-61),
         "ManufacturerData": dbus.Dictionary({dbus.UInt16(76): dbus.Array([dbus.Byte(1)], signature="y")},
                                             signature="qv")}, signature="sv")}


class Error(dbus.DBusException):
    def __init__(self, name):
        super().__init__("as told")
        self._dbus_error_name = f"org.bluez.Error.{name}"


class Root(dbus.service.Object):
    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        if BEHAVIOUR == "no-adapter":
            return dbus.Dictionary({}, signature="oa{sa{sv}}")
        is_on = BEHAVIOUR not in ("off", "blocked") or Adapter.on
        powered = dbus.String("yes") if BEHAVIOUR == "wrong-type" else dbus.Boolean(is_on)
        roles = [] if BEHAVIOUR == "classic" else ["central", "peripheral"]
        adapter = {ADAPTER: {"Address": "00:AA:01:00:00:00", "Alias": "lab", "Powered": powered,
                             "Discovering": BEHAVIOUR == "scanned", "Roles": dbus.Array(roles, signature="s")},
                   MANAGER: {"ActiveInstances": dbus.Byte(0),
                             "SupportedInstances": dbus.Byte(0 if BEHAVIOUR == "taken" else 3)}}
        if BEHAVIOUR == "blocked":
            adapter[ADAPTER]["PowerState"] = "off-blocked"
        path, interfaces = device("11:11:11:11:11:11", data(FIDO, *range(20)))
        return {PATH: adapter, path: interfaces}

    @dbus.service.signal(OBJECTS, signature="oa{sa{sv}}")
    def InterfacesAdded(self, path, interfaces):
        pass

    @dbus.service.signal(OBJECTS, signature="oas")
    def InterfacesRemoved(self, path, interfaces):
        pass


class Device(dbus.service.Object):
    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, properties, invalidated):
        pass


class Adapter(dbus.service.Object):
    on = False
    offers = 0

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, properties, invalidated):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ssv")
    def Set(self, interface, name, value):
        say("set", interface, name, bool(value))
        Adapter.on = bool(value)

    @dbus.service.method(ADAPTER, in_signature="a{sv}")
    def SetDiscoveryFilter(self, wanted):
        say("filter", *sorted(f"{name}={value}" for name, value in wanted.items()))

    @dbus.service.method(ADAPTER, async_callbacks=("done", "failed"))
    def StartDiscovery(self, done, failed):
        say("start")
        if BEHAVIOUR == "hang":
            return
        Adapter.offers += 1
        if BEHAVIOUR == "busy" or BEHAVIOUR == "starting" and Adapter.offers < 2:
            failed(Error("InProgress"))
            return
        if BEHAVIOUR == "not-ready":
            failed(Error("NotReady"))
            return
        done()
        GLib.timeout_add(100, self.happen)

    @dbus.service.method(ADAPTER)
    def StopDiscovery(self):
        say("stop")

    @dbus.service.method(MANAGER, in_signature="oa{sv}", sender_keyword="sender", async_callbacks=("done", "failed"))
    def RegisterAdvertisement(self, path, options, sender, done, failed):
        if BEHAVIOUR == "refuse":
            failed(Error("NotPermitted"))
            return
        Adapter.offers += 1
        if BEHAVIOUR == "broken" or BEHAVIOUR == "stale" and Adapter.offers < 2:
            say("fail")
            failed(Error("Failed"))
            return

        def read(properties):
            service_data = ",".join(f"{key}={bytes(value).hex()}" for key, value in properties["ServiceData"].items())
            say("advert", properties["Type"], service_data, properties["MinInterval"], properties["MaxInterval"])
            done()
            if BEHAVIOUR == "release":
                advert.Release(dbus_interface=ADVERT)
            else:
                GLib.timeout_add(100, self.happen)

        advert = bus.get_object(sender, path, introspect=False)
        advert.GetAll(ADVERT, dbus_interface=PROPERTIES, reply_handler=read, error_handler=failed)

    @dbus.service.method(MANAGER, in_signature="o")
    def UnregisterAdvertisement(self, path):
        say("unregister")

    def happen(self):
        """What the behaviour has in store once there is a scan or an advert."""
        if BEHAVIOUR == "gone":
            bus.release_name("org.bluez")
        elif BEHAVIOUR == "killed":
            os._exit(0)
        elif BEHAVIOUR == "unpowered":
            self.PropertiesChanged(ADAPTER, {"Powered": dbus.Boolean(False)}, [])
        elif BEHAVIOUR == "unplugged-powered-off":
            # As a real one: the kernel powers it off on its way out.
            self.PropertiesChanged(ADAPTER, {"Powered": dbus.Boolean(False)}, [])
            GLib.timeout_add(100, lambda: root.InterfacesRemoved(PATH, [ADAPTER, MANAGER]))
        elif BEHAVIOUR == "unplugged":
            root.InterfacesRemoved(PATH, [ADAPTER, MANAGER])
        elif BEHAVIOUR == "flood":
            Flood(int(sys.argv[2]))
        else:
            if BEHAVIOUR == "forged":
                forge()
            if BEHAVIOUR == "nonsense":
                nonsense()
            if BEHAVIOUR == "decoys":
                for number in range(3):
                    root.InterfacesAdded(*device(f"88:88:88:88:88:8{number}", data(NEARBY_PRESENCE, *range(20))))
            path, interfaces = device("22:22:22:22:22:22", data(GOOGLE, *range(24)))
            root.InterfacesAdded(path, interfaces)
            root.InterfacesAdded(*device("33:33:33:33:33:33", dbus.Dictionary({}, signature="sv"), "random"))
            Device(bus, f"{PATH}/dev_33_33_33_33_33_33").PropertiesChanged(
                DEVICE, {"ServiceData": data(FIDO, 3, 3, 3)}, [])
        return False


def forge():
    """Signals as bluetoothd's, but from another connection."""
    other = dbus.bus.BusConnection(addresses[0])
    path, interfaces = device("66:66:66:66:66:66", data(FIDO, 6, 6))
    Root(other, "/").InterfacesAdded(path, interfaces)
    Adapter(other, PATH).PropertiesChanged(ADAPTER, {"Powered": dbus.Boolean(False)}, [])
    other.flush()


class Flood:
    """FLOOD_RATE adverts a second from other devices, all different, for a while; among them and afterwards, ten times a
    second, the one of 22:….

    The messages are made beforehand, a second's worth, because dbus-python takes longer to make one than to send it.
    """
    def __init__(self, seconds):
        self.wanted = seconds * FLOOD_RATE
        self.pool = [self.advert(number) for number in range(FLOOD_RATE)]
        self.sent = 0
        self.begun = time.monotonic()
        GLib.timeout_add(10, self.go_on)

    @staticmethod
    def advert(number):
        device = f"{PATH}/dev_44_44_44_44_{number % 256:02X}_{number // 256:02X}"
        message = dbus.lowlevel.SignalMessage(device, PROPERTIES, "PropertiesChanged")
        noise = number.to_bytes(4, "big") * 5
        message.append(DEVICE, dbus.Dictionary({"ServiceData": data(FIDO, *noise)}, signature="sv"),
                       dbus.Array([], signature="s"), signature="sa{sv}as")
        return message

    def go_on(self):
        due = min(int((time.monotonic() - self.begun) * FLOOD_RATE), self.wanted)
        while self.sent < due:
            bus.send_message(self.pool[self.sent % FLOOD_RATE].copy())
            self.sent += 1
            if self.sent % (FLOOD_RATE // 10) == 0:
                self.send_the_right_one()
        if self.sent < self.wanted:
            return True
        bus.flush()
        say("flooded", self.sent, round(time.monotonic() - self.begun, 1))
        GLib.timeout_add(100, self.send_the_right_one)
        return False

    @staticmethod
    def send_the_right_one():
        path, interfaces = device("22:22:22:22:22:22", data(GOOGLE, *range(24)))
        root.InterfacesAdded(path, interfaces)
        return True


def nonsense():
    """Signals with other types than theirs, and devices with odd service data."""
    for number, odd in enumerate([dbus.String("x"), dbus.Dictionary({FIDO: "text"}, signature="sv"), data(FIDO),
                                  data(FIDO, *([7] * 256)), data("FFF9", 1)]):
        path, interfaces = device(f"77:77:77:77:77:7{number}", odd)
        root.InterfacesAdded(path, interfaces)
    Device(bus, f"{PATH}/dev_x").PropertiesChanged(DEVICE, {"ServiceData": data(FIDO, 7)}, [])
    message = dbus.lowlevel.SignalMessage("/", OBJECTS, "InterfacesAdded")
    message.append(dbus.UInt32(7), signature="u")
    bus.send_message(message)


addresses, bus = start_bus(TCP, DENIAL if BEHAVIOUR == "denied" else "")
root = Root(bus, "/")
adapter = Adapter(bus, PATH)
if BEHAVIOUR != "absent":
    bus.request_name("org.bluez")
for address in addresses:
    say(address)
run()
