import Testing

@testable import LinuxSupport

/// The present owner of a name.
@Suite(.timeLimit(.minutes(2)))
struct DBusNameWatchTests {
    @Test func `a name has an owner, or none`() async throws {
        try await DBusPeer.with { peer in
            let watch = DBusNameWatch("org.example.Values")
            let owner = try await watch.start(over: peer.connection)
            #expect(owner?.hasPrefix(":") == true && watch.owner == owner)
            let absent = try await DBusNameWatch("org.example.Absent").start(over: peer.connection)
            #expect(absent == nil)
        }
    }

    @Test func `only the bus tells of another owner, and the newest counts`() {
        let watch = DBusNameWatch("org.example.Values")
        func signal(from sender: String, _ name: String, to owner: String) -> DBusMessage {
            DBusMessage(
                sender: sender, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                member: "NameOwnerChanged", signature: "sss",
                body: [.string(name), .string(""), .string(owner)])
        }
        #expect(!watch.receive(signal(from: ":1.5", watch.name, to: ":1.5")))
        #expect(!watch.receive(signal(from: "org.freedesktop.DBus", "org.example.Other", to: ":1.5")))
        #expect(watch.owner == nil)
        #expect(watch.receive(signal(from: "org.freedesktop.DBus", watch.name, to: ":1.6")))
        let hello = DBusMessage(sender: ":1.6", path: "/", interface: "", member: "", signature: "", body: [])
        #expect(watch.owner == ":1.6" && watch.isSender(of: hello))
        #expect(watch.receive(signal(from: "org.freedesktop.DBus", watch.name, to: "")))
        #expect(watch.owner == nil && !watch.isSender(of: hello))
    }
}
