package import HybridProtocol
internal import HybridTransport
package import LinkStorage
package import TransportInterfaces

/// Keeps this machine reachable for its linked clients, and has their wakes answered.
package struct WakeListener: Sendable {
    private let file: AuthenticatorLinkFile
    private let listener: ContactListener
    private let server: WakeServer
    private let observe: AgentObserver

    /// The time between two looks for links that were made or revoked.
    private static let pollInterval = Duration.seconds(2)

    /// Makes one that does not run yet.
    ///
    /// - Parameters:
    ///   - file: The links.
    ///   - contents: Its contents, for the key that the tunnel service knows this machine by.
    ///   - service: The tunnel service.
    ///   - opener: Connects to it; see `ContactListener.idleTimeout`.
    ///   - server: Answers the wakes.
    ///   - observe: Is told of the connection's state.
    /// - Throws: `HybridProtocolError`; `LinkFileError`.
    package init(
        file: AuthenticatorLinkFile, contents: AuthenticatorLinkFile.Contents, service: TunnelURL.Service,
        opener: any TunnelOpener, server: WakeServer, observe: @escaping AgentObserver
    ) throws {
        self.file = file
        self.server = server
        self.observe = observe
        let key = try contents.withRootSecret { root throws(HybridProtocolError) in try root.contactKey() }
        listener = ContactListener(key: key, service: service, opener: opener) {
            guard let contents = try file.contents() else {
                throw LinkFileError(.inputOutput, reason: "\(file.path) is gone")
            }
            return contents.entries.map(\.linkID)
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
            for await event in listener.events {
                switch event {
                case .registered(let links): observe(.contact(.registered(linkCount: links.count)))
                case .reconnecting(let wait, let cause): observe(.contact(.reconnecting(after: wait, cause: cause)))
                case .refused(let refusal): observe(.contact(.refused(refusal)))
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

    private func watchLinks() async {
        var known = try? file.identity()
        while (try? await Task.sleep(for: Self.pollInterval)) != nil {
            guard let now = try? file.identity(), now != known else { continue }
            known = now
            listener.linksChanged()
        }
    }
}
