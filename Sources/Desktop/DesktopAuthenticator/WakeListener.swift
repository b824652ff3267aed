internal import HybridProtocol
package import HybridTransport

/// Keeps this machine reachable for its linked clients, and has their wakes answered.
package struct WakeListener: Sendable {
    private let file: AuthenticatorLinkFile
    private let listener: ContactListener
    private let server: WakeServer
    private let observe: EventListener

    /// The time between two looks for links that were made or revoked.
    private static let pollInterval = Duration.seconds(2)

    /// Makes one that does not run yet.
    ///
    /// - Parameters:
    ///   - file: the links.
    ///   - contents: its contents, for the key that the tunnel service knows this machine by.
    ///   - parts: the tunnel service, and how it is connected to.
    ///   - server: answers the wakes.
    ///   - observe: is told of the connection's state.
    /// - Throws: `LinkFileError`.
    package init(
        file: AuthenticatorLinkFile, contents: AuthenticatorLinkFile.Contents, parts: CeremonyParts,
        server: WakeServer, observe: @escaping EventListener
    ) throws {
        self.file = file
        self.server = server
        self.observe = observe
        listener = ContactListener(
            key: try contents.contactKey(), service: parts.tunnelService, opener: parts.opener
        ) {
            guard let contents = try file.contents() else {
                throw LinkFileError(.inputOutput, reason: "\(file.path) is gone")
            }
            return contents.entries.map { ContactLink($0.linkID, contactID: $0.contactID) }
        }
    }

    /// Waits for the first link.
    ///
    /// - Returns: the contents of the file, once there is one; nil if the task was cancelled.
    /// - Throws: `LinkFileError`.
    package static func contents(of file: AuthenticatorLinkFile) async throws -> AuthenticatorLinkFile.Contents? {
        while true {
            if let contents = try file.contents() { return contents }
            guard (try? await Task.sleep(for: pollInterval)) != nil else { return nil }
        }
    }

    /// Listens until the task is cancelled.
    ///
    /// - Throws: `DataChannelError` if the tunnel service refuses this machine for good.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [listener] in try await listener.run() }
            let watch = Task { await watchLinks() }
            defer { watch.cancel() }
            var replacedCount = 0
            for await event in listener.events {
                observe(event)
                switch event {
                case .registered(let contactIDs):
                    let count = replacedLinkCount(contactIDs)
                    if count > 0, count != replacedCount { observe(AgentEvent.otherContactSecret(linkCount: count)) }
                    replacedCount = count
                case .reconnecting, .refused: break
                case .wake(let wake):
                    group.addTask { [server, listener] in
                        await server.serve(wake, decline: { await listener.decline(wake) })
                    }
                }
            }
            // Throws the reason for which the listener has ended, if it was not told to.
            try await group.waitForAll()
        }
    }

    /// The number of links whose clients have another contact ID than the service gives them now.
    private func replacedLinkCount(_ contactIDs: [LinkID: ContactID]) -> Int {
        // A file that cannot be read has kept the listener from registering, and does so again.
        let entries = (try? file.contents())?.entries ?? []
        return entries.count { entry in contactIDs[entry.linkID].map { $0 != entry.contactID } ?? false }
    }

    private func watchLinks() async {
        var known = try? file.identity()
        while (try? await Task.sleep(for: Self.pollInterval)) != nil {
            guard let now = try? file.identity(), now != known else { continue }
            known = now
            listener.linksChanged()
        }
    }
}
