package import LinuxSupport

/// The portal for keyboard shortcuts that work in every window. A process without secrets calls it, as with every
/// portal: `DesktopPortal`.
///
/// Source: XDG Desktop Portal, org.freedesktop.portal.GlobalShortcuts, version 1; org.freedesktop.portal.Session;
/// org.freedesktop.host.portal.Registry.
package enum ShortcutPortal {
    /// A shortcut that is wanted.
    package struct Shortcut: Sendable {
        /// The name by which the desktop keeps the keys that the user has chosen.
        let id: String
        /// One line for the user.
        let description: String
        /// The keys that are proposed (Shortcuts Specification 0.1, freedesktop.org).
        let preferredTrigger: String

        package init(id: String, description: String, preferredTrigger: String) {
            self.id = id
            self.description = description
            self.preferredTrigger = preferredTrigger
        }
    }

    private static let interface = "org.freedesktop.portal.GlobalShortcuts"
    private static let session = "org.freedesktop.portal.Session"
    /// The longest text on the keys, in Unicode scalars.
    private static let longestTrigger = 100

    /// Binds a shortcut, and does something each time that it is pressed, until the task is cancelled or the portal
    /// ends. Presses while it is done, and more than ten in a minute, do nothing.
    ///
    /// - Parameters:
    ///   - shortcut: the shortcut.
    ///   - application: the name of the program's desktop entry, by which the desktop tells programs apart.
    ///   - address: the session bus.
    ///   - limit: the longest time for each question of the desktop's to the user.
    ///   - onBinding: gets the portal's text on the keys, once they are bound; nil if it has none.
    ///   - onPress: is done at each press. When the portal ends, it may finish.
    /// - Throws: `DBusError` if the bus cannot be used; ``PortalError``; `CancellationError`.
    package static func wait(
        for shortcut: Shortcut, of application: String, at address: DBusAddress, within limit: Duration,
        onBinding: @Sendable (String?) -> Void, onPress: @escaping @Sendable () async -> Void
    ) async throws {
        try await DesktopPortal.with(at: address) { portal in
            for (signal, interface) in [("Activated", interface), ("Closed", session)] {
                try await portal.subscribe(to: signal, of: interface)
            }
            let handle = try await createSession(of: application, portal, within: limit)
            onBinding(try await bind(shortcut, in: handle, portal, within: limit))
            let gate = QuestionGate()
            let end = await withDiscardingTaskGroup(returning: PortalError?.self) { group in
                for await event in portal.events {
                    switch event {
                    case .ended(let error): return error
                    case .signal(let signal) where isClosing(signal, of: handle):
                        return PortalError(.ended, reason: "the desktop's portal has closed the session")
                    case .signal(let signal) where isPress(signal, of: shortcut, in: handle):
                        group.addTask { try? await gate.alone(onPress) }
                    case .signal, .timeUp: continue
                    }
                }
                return nil
            }
            throw end ?? CancellationError()
        }
    }

    /// Creates a session.
    ///
    /// - Returns: its handle.
    private static func createSession(
        of application: String, _ portal: DesktopPortal, within limit: Duration
    ) async throws -> String {
        // Portals before 1.20 have no such interface. Where the name is refused, the session says whether that matters.
        var refusal: PortalError?
        do {
            try await portal.call(
                "Register", of: "org.freedesktop.host.portal.Registry", [.string(application), .dictionary([:])])
        } catch let error as PortalError where error.code == .refused {
            refusal = error
        } catch let error as PortalError where error.code == .noInterface {}
        let results: [String: DBusValue]
        do {
            // Not to be guessed: the portal makes the handle of it.
            let token = "hybrid_" + String(UInt64.random(in: .min ... .max), radix: 16)
            results = try await portal.request(
                "CreateSession", of: interface, [.dictionary(["session_handle_token": .string(token)])], within: limit)
        } catch let error as PortalError where error.code == .refused {
            throw refusal.map { PortalError(.noDesktopEntry, from: $0) } ?? error
        }
        guard let handle = results["session_handle"]?.stringValue else {
            throw PortalError(.unavailable, reason: "the desktop's portal gives no handle of its session")
        }
        return handle
    }

    /// Binds a shortcut.
    ///
    /// - Returns: the portal's text on the keys; nil if it has none.
    private static func bind(
        _ shortcut: Shortcut, in handle: String, _ portal: DesktopPortal, within limit: Duration
    ) async throws -> String? {
        let wanted: [String: DBusValue] = [
            "description": .string(shortcut.description), "preferred_trigger": .string(shortcut.preferredTrigger),
        ]
        let results = try await portal.request(
            "BindShortcuts", of: interface,
            [
                .objectPath(handle), .array([.structure([.string(shortcut.id), .dictionary(wanted)])]), .string(""),
                .dictionary([:]),
            ], within: limit)
        guard let bound = properties(of: shortcut, in: results["shortcuts"]) else {
            throw PortalError(.declined, reason: "the desktop has bound no keys to the shortcut")
        }
        let trigger = bound["trigger_description"]?.stringValue?.unicodeScalars.prefix(longestTrigger)
        return trigger.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// The properties of a shortcut in a list of them, `a(sa{sv})`; nil if it is not there.
    private static func properties(of shortcut: Shortcut, in list: DBusValue?) -> [String: DBusValue]? {
        guard case .array(let shortcuts) = list else { return nil }
        for members in shortcuts.compactMap(\.structureValue)
        where members.count == 2 && members[0].stringValue == shortcut.id {
            return members[1].dictionaryValue
        }
        return nil
    }

    private static func isClosing(_ signal: DBusMessage, of handle: String) -> Bool {
        signal.interface == session && signal.member == "Closed" && signal.path == handle
    }

    private static func isPress(_ signal: DBusMessage, of shortcut: Shortcut, in handle: String) -> Bool {
        signal.interface == interface && signal.member == "Activated" && signal.signature == "osta{sv}"
            && signal.body[0].pathValue == handle && signal.body[1].stringValue == shortcut.id
    }
}
