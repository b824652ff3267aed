import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport
import Testing

@testable import BluetoothLE

@Suite("An adapter of BlueZ")
struct BlueZAdapterTests {
    static let path = "/org/bluez/hci0"

    static func interfaces(
        powered: Bool = true, powerState: String? = nil, roles: [String]? = ["central", "peripheral"],
        freeInstances: UInt8? = 3
    ) -> [String: DBusValue] {
        var adapter: [String: DBusValue] = ["Address": .string("00:AA:01:00:00:00"), "Powered": .bool(powered)]
        if let powerState { adapter["PowerState"] = .string(powerState) }
        if let roles { adapter["Roles"] = .array(roles.map(DBusValue.string)) }
        var interfaces = [BlueZName.adapter: DBusValue.dictionary(adapter)]
        if let freeInstances {
            interfaces[BlueZName.advertisingAdapter] = .dictionary(["SupportedInstances": .byte(freeInstances)])
        }
        return interfaces
    }

    static func state(_ interfaces: [String: DBusValue], isBlocked: Bool = false) throws -> BluetoothAdapter.State? {
        try BluetoothAdapter(path: path, interfaces: interfaces) { _ in isBlocked }?.state
    }

    @Test("has one of its states")
    func states() throws {
        #expect(try Self.state(Self.interfaces()) == .ready)
        #expect(try Self.state(Self.interfaces(powered: false)) == .poweredOff)
        #expect(try Self.state(Self.interfaces(powered: false), isBlocked: true) == .blocked)
        #expect(try Self.state(Self.interfaces(powered: false, powerState: "off-blocked")) == .blocked)
        #expect(try Self.state(Self.interfaces(roles: [], freeInstances: nil)) == .noLowEnergy)
        #expect(try Self.state(Self.interfaces(powered: false, roles: [], freeInstances: nil)) == .noLowEnergy)
        #expect(try Self.state(Self.interfaces(roles: nil)) == .ready)
        #expect(try Self.state(Self.interfaces(freeInstances: 0)) == .noInstance)
        #expect(try Self.state(Self.interfaces(freeInstances: nil)) == .noInstance)
    }

    @Test("is none without the adapter's interface, or at another path")
    func otherObjects() throws {
        let noFlags: (String) -> Bool = { _ in false }
        for (path, interfaces) in [
            (Self.path, [:]), ("/org/bluez", Self.interfaces()), (Self.path + "/dev", Self.interfaces()),
        ] {
            let adapter = try BluetoothAdapter(path: path, interfaces: interfaces, isBlocked: noFlags)
            #expect(adapter == nil)
        }
    }

    @Test("is refused when a property that it cannot be without is missing or of another type")
    func wrongTypes() {
        for properties in [["Powered": DBusValue.bool(true)], ["Address": .string(""), "Powered": .string("yes")]] {
            #expect(throws: DBusError(.wrongType, reason: "")) {
                try BluetoothAdapter(path: Self.path, interfaces: [BlueZName.adapter: .dictionary(properties)]) { _ in
                    false
                }
            }
        }
    }

    static func adapter(_ name: String, _ state: [String: DBusValue]) throws -> BluetoothAdapter {
        let adapter = try BluetoothAdapter(path: "/org/bluez/" + name, interfaces: state) { _ in false }
        return try #require(adapter)
    }

    @Test("is chosen by name, or as the first that can do the work")
    func selection() throws {
        let off = try Self.adapter("hci0", Self.interfaces(powered: false))
        let full = try Self.adapter("hci1", Self.interfaces(freeInstances: 0))
        let ready = try Self.adapter("hci2", Self.interfaces())
        let all = [off, full, ready]
        let first = AdapterSelection.firstReady
        #expect(try first.choose(among: all, without: \.obstacle) == ready)
        #expect(try first.choose(among: all, without: \.scanObstacle) == full)
        #expect(try first.choose(among: [off, full], without: \.obstacle) == off)
        #expect(try AdapterSelection(adapter: "hci1").choose(among: all, without: \.obstacle) == full)
        #expect(
            try AdapterSelection(adapter: nil, powersOn: true).choose(among: [full, off], without: \.obstacle) == off)
        #expect(throws: RadioError(.absent, reason: "")) {
            try AdapterSelection(adapter: "hci3").choose(among: all, without: \.obstacle)
        }
        #expect(throws: RadioError(.absent, reason: "")) { try first.choose(among: [], without: \.obstacle) }
    }

    @Test("is not named otherwise than by hci and a number", arguments: ["", "hci", "hci-1", "hci1/x", "0", "hci٣"])
    func refusesNames(name: String) {
        #expect(throws: RadioError(.invalidAddress, reason: "")) { try AdapterSelection(adapter: name) }
    }

    @Test(
        "has a bus at unix: and tcp: addresses only",
        arguments: ["", ";", "unixexec:path=/bin/sh", "autolaunch:", "unix:path=/a;launchd:x", "unix:path=/a\0b"])
    func refusesAddresses(text: String) {
        #expect(throws: DBusError(.invalidAddress, reason: "")) { try DBusAddress(parsing: text) }
    }
}
