import ArgumentParser
import Edges
import HybridProtocol
import HybridTransport
import Links

/// Waits for linked clients, for days.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Wait for linked clients, and answer each after asking you.",
        discussion: """
            example:
              hybrid authenticator listen
              hybrid authenticator listen --verify polkit

            Keeps a connection to the tunnel service, which tells when a linked client asks. You are shown who asks, and for \
            what, before anything else happens: before the passkeys are opened, and before this machine advertises that it \
            is near. Clients are linked in `authenticator answer`. SIGTERM ends it in good order.
            """)

    @OptionGroup var passkeys: PasskeyStoreOptions
    @OptionGroup var verification: VerificationOption
    @OptionGroup var place: LinkedClientsOption
    @OptionGroup var radio: RadioOption
    @OptionGroup var domain: TunnelDomainOption
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var output: OutputOptions

    /// How often it is looked whether links were made or revoked.
    private static let interval = Duration.seconds(2)

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await listen(reporter) }
    }

    private func listen(_ reporter: Reporter) async throws {
        let file = try place.file()
        let contents = try file.contentsOrNew()
        let service = try domain.service()
        let server = try WakeServer(
            file: file, service: service, opener: domain.tunnel.opener(), advertiser: radio.advertiser(),
            passkeys: passkeys, verification: verification, limits: time.limits, reporter: reporter)
        if contents.entries.isEmpty {
            reporter.say("no client is linked yet; hybrid authenticator answer links one")
        }
        let key = try contents.withRootSecret { root throws(HybridProtocolError) in try root.contactKey() }
        let listener = ContactListener(
            key: key, service: service, opener: try domain.tunnel.opener(idleTimeout: ContactListener.idleTimeout)
        ) {
            guard let contents = try file.contents() else {
                throw LinkFileError(.inputOutput, reason: "\(file.path) is gone")
            }
            return contents.entries.map(\.linkID)
        }
        do {
            try await listen(with: listener, file, server, reporter)
        } catch let error as DataChannelError {
            throw Failure(
                .tunnelRefused, code: error.code.rawValue, cause: error.description,
                hint: "check --tunnel, and that no other listener runs with this file of links")
        }
    }

    private func listen(
        with listener: ContactListener, _ file: AuthenticatorLinkFile, _ server: WakeServer, _ reporter: Reporter
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await listener.run() }
            let watch = Task { await Self.watch(file, listener) }
            defer { watch.cancel() }
            for await event in listener.events {
                switch event {
                case .registered(let links): reporter.write(ContactLine(links.count), orSay: Self.text(links.count))
                case .reconnecting(let wait, let cause):
                    reporter.write(
                        ContactLine(reconnectingIn: wait, cause.reason),
                        orSay: "not reachable for linked clients, trying again: \(cause.reason)")
                case .refused(let refusal): reporter.warn("wake-refused", refusal.text, role: .authenticator)
                case .wake(let wake):
                    group.addTask { await server.serve(wake, decline: { await listener.decline(wake) }) }
                }
            }
            // Why the listener has ended, if not because it was told to.
            try await group.waitForAll()
        }
    }

    private static func watch(_ file: AuthenticatorLinkFile, _ listener: ContactListener) async {
        var known = try? file.identity()
        while (try? await Task.sleep(for: interval)) != nil {
            guard let now = try? file.identity(), now != known else { continue }
            known = now
            listener.linksChanged()
        }
    }

    private static func text(_ count: Int) -> String {
        "reachable for \(count) linked \(count == 1 ? "client" : "clients")"
    }
}

extension ContactRefusal {
    /// What happened, in words.
    fileprivate var text: String {
        switch self {
        case .unknownLink: "a client asked whose link was revoked; it was turned away"
        case .tooMany: "too many clients asked lately; one was turned away"
        }
    }
}

/// Whether linked clients can reach this machine.
private struct ContactLine: Encodable {
    let event = "contact"
    let state: String
    /// How many links are registered.
    let links: Int?
    let cause: String?
    /// Seconds until the next attempt.
    let retryAfter: Double?

    init(_ count: Int) {
        (state, links, cause, retryAfter) = ("registered", count, nil, nil)
    }

    init(reconnectingIn wait: Duration, _ reason: String) {
        (state, links, cause, retryAfter) = ("reconnecting", nil, reason, wait / .seconds(1))
    }
}
