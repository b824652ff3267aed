import Foundation
import TestPeers
import Testing

@testable import LinuxSupport

/// Notifications that wait for an answer.
@Suite(.timeLimit(.minutes(2))) struct NotificationTests {
    private static let notification = DesktopNotification(
        summary: "A linked client asks", body: "for <b>example.org</b> & co", withoutButtons: "Run hybrid agent answer")

    /// The calls that a daemon received, and its end.
    private func outcome(
        _ behaviour: String, within limit: Duration = never
    ) async throws -> Result<DesktopNotification.Answer, DesktopSessionError> {
        try await SessionPeer.with("notifications.py", [behaviour]) { peer in try await outcome(peer, within: limit) }
    }

    private func outcome(
        _ peer: SessionPeer, within limit: Duration
    ) async throws -> Result<DesktopNotification.Answer, DesktopSessionError> {
        let daemon = try await NotificationDaemon.connect(to: peer.address)
        let outcome: Result<DesktopNotification.Answer, DesktopSessionError>
        do throws(DesktopSessionError) {
            outcome = .success(try await daemon.ask(Self.notification, within: limit))
        } catch {
            outcome = .failure(error)
        }
        await daemon.close()
        return outcome
    }

    @Test(arguments: [
        ("press answer", DesktopNotification.Answer.answer), ("press default", .answer), ("press refuse", .refuse),
        ("closed 1", .expired), ("closed 2", .dismissed), ("closed 3", .closed), ("closed 9", .closed),
        ("early", .refuse), ("forged", .refuse),
    ])
    func `each end is its answer`(_ behaviour: String, _ answer: DesktopNotification.Answer) async throws {
        #expect(try await outcome(behaviour) == .success(answer))
    }

    @Test(arguments: [
        ("dies", DesktopSessionError.Code.lost), ("restarts", .lost), ("absent", .noService),
        ("zero", .serviceFailed),
    ])
    func `each failure is told`(_ behaviour: String, _ code: DesktopSessionError.Code) async throws {
        #expect(try await outcome(behaviour) == .failure(DesktopSessionError(code, reason: "")))
    }

    /// The daemon's data of a notification.
    private struct Told: Decodable, Equatable {
        let summary, body: String
        let actions: [String]
        let timeout, urgency: Int
    }

    private func told(_ behaviour: String) async throws -> Told {
        try await SessionPeer.with("notifications.py", [behaviour]) { peer in
            let daemon = try await NotificationDaemon.connect(to: peer.address)
            let asking = Task { try? await daemon.ask(Self.notification, within: .seconds(90)) }
            let line = try #require(await peer.said())
            asking.cancel()
            _ = await asking.value
            #expect(await peer.said() == "close 7")
            await daemon.close()
            return try JSONDecoder().decode(Told.self, from: Data(line.dropFirst("notify ".count).utf8))
        }
    }

    @Test func `a daemon with buttons gets them, and markup is escaped; a cancelled request takes it away`()
        async throws
    {
        #expect(
            try await told("waits")
                == Told(
                    summary: "A linked client asks", body: "for &lt;b&gt;example.org&lt;/b&gt; &amp; co",
                    actions: ["answer", "Answer", "refuse", "Refuse", "default", "Answer"], timeout: 90_000,
                    urgency: 2))
    }

    @Test func `a daemon without buttons gets another way to answer, in plain text`() async throws {
        #expect(
            try await told("no-actions")
                == Told(
                    summary: "A linked client asks", body: "for <b>example.org</b> & co\nRun hybrid agent answer",
                    actions: [], timeout: 90_000, urgency: 2))
    }

    @Test func `a notification is taken away when its time is up`() async throws {
        try await SessionPeer.with("notifications.py", ["waits"]) { peer in
            let end = try await outcome(peer, within: .seconds(1))
            #expect(end == .success(.expired))
            #expect(await peer.said()?.hasPrefix("notify ") == true)
            #expect(await peer.said() == "close 7")
        }
    }

    @Test func `without a bus there is an error`() async throws {
        let nowhere = try DBusAddress(parsing: "unix:path=/nowhere", bus: .session)
        let code = await errorCode { () throws(DesktopSessionError) in
            _ = try await NotificationDaemon.connect(to: nowhere)
        }
        #expect(code == .noBus)
    }

    /// dunst, driven by its own program.
    @Test(
        .enabled(if: VirtualDisplay.has("dunst", "dunstctl")),
        arguments: [
            (["action", "0"], DesktopNotification.Answer.answer), (["close"], .dismissed),
        ])
    func `the real dunst shows it, and says what was pressed`(
        _ command: [String], _ answer: DesktopNotification.Answer
    ) async throws {
        try await VirtualDisplay.with(running: ["dunst", "-verbosity", "crit"]) { display in
            let address = try DBusAddress(parsing: display.bus, bus: .session)
            // dunst has no file by which the bus could start it: wait until it has the name.
            let connection = try await DBusConnection.open(address) { _ in }
            let watch = DBusNameWatch("org.freedesktop.Notifications")
            while try await watch.start(over: connection) == nil { try await Task.sleep(for: .milliseconds(50)) }
            await connection.close()
            let daemon = try await NotificationDaemon.connect(to: address)
            let asking = Task { try await daemon.ask(Self.notification, within: never) }
            while try await display.run(["dunstctl", "count", "displayed"]).lines.first != "1" {
                try await Task.sleep(for: .milliseconds(50))
            }
            try await display.shoot("notification-dunst")
            _ = try await display.run(["dunstctl"] + command)
            #expect(try await asking.value == answer)
            while try await display.run(["dunstctl", "count", "displayed"]).lines.first != "0" {
                try await Task.sleep(for: .milliseconds(50))
            }
            await daemon.close()
        }
    }
}
