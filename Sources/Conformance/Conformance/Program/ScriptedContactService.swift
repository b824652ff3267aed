internal import Cryptography
internal import HybridProtocol
internal import Synchronization

/// The contact service that a case runs for an authenticator: gives contact IDs, and wakes the authenticator that
/// listens.
///
/// CTAP leaves to the vendor how a service reaches an authenticator. This is our service's way, which TunnelService's
/// ContactService specifies.
final class ScriptedContactService: Sendable {
    /// A fault of the service.
    enum Fault: Sendable {
        /// It answers with this status.
        case status(Int)
        /// It says nothing.
        case silent
        /// It begins with this.
        case begins(WireFrame)
        /// It answers a registration with these contact IDs.
        case gives([[UInt8]])
        /// It closes with this code.
        case closes(UInt16)
    }

    /// A registration whose proof is good.
    struct Registration: Sendable {
        let labels: [[UInt8]]
        /// In the order of the labels.
        let contactIDs: [[UInt8]]
        let listens: Bool
    }

    /// The contact request of which an authenticator is notified.
    struct Wake: Sendable {
        let tunnelID: [UInt8]
        let payload: [UInt8]
    }

    private let service: WireListener
    private let timeout: Duration
    private let fault: Fault?
    private let nextFault = Mutex<Fault?>(nil)
    private let listener = Mutex<WebSocketEnd?>(nil)
    /// The requests that are not for the contact service.
    let requests = Mailbox<PendingRequest>()
    /// The registrations, or how they broke the rules.
    let registrations = Mailbox<Result<Registration, Deviation>>()
    /// The answers of an authenticator to wakes.
    let answers = Mailbox<AuthenticatorMessage>()

    init(_ service: WireListener, timeout: Duration, fault: Fault? = nil) {
        self.service = service
        self.timeout = timeout
        self.fault = fault
    }

    /// Serves all connections, until it is cancelled.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            while true {
                let connection = try await service.accept()
                group.addTask { try await self.serve(connection) }
            }
        }
    }

    private func serve(_ connection: WireConnection) async throws {
        do {
            let head = try await within(timeout, "its request") { try await connection.takeHead() }
            guard let head else { throw Deviation("its request has no end") }
            let request = PendingRequest(head: try RequestHead(head), connection: connection)
            guard request.head.path == TunnelPath.listen else { return requests.put(request) }
            try await listen(request)
        } catch let deviation as Deviation {
            registrations.put(.failure(deviation))
        } catch {
            // A case that needs a connection that was lost notices by itself.
        }
    }

    private func listen(_ request: PendingRequest) async throws {
        let fault = nextFault.withLock { $0.take() } ?? fault
        if case .status(let status)? = fault {
            return try await request.answer(.status(status)).connection.close()
        }
        let socket = try await request.answer(UpgradeResponse(routingID: nil))
        var challenge = ContactRegistration.randomChallenge()
        switch fault {
        case .silent: return
        case .begins(let frame): await socket.send(frame)
        case .closes(let code): return await socket.closeAndWait(code)
        default: await socket.send(ServiceMessage.hello(challenge: challenge).encoded())
        }
        while true {
            let message: AuthenticatorMessage
            do { message = try AuthenticatorMessage(decoding: try await socket.message()) } catch let error
                as TunnelProtocolError
            {
                throw Deviation("its messages to the contact service cannot be read: \(error.reason)")
            }
            guard case .register(let registration) = message else {
                answers.put(message)
                continue
            }
            let taken = try check(registration, request, challenge)
            challenge = ContactRegistration.randomChallenge()
            let given = if case .gives(let contactIDs)? = fault { contactIDs } else { taken.contactIDs }
            await socket.send(ServiceMessage.registered(contactIDs: given, nextChallenge: challenge).encoded())
            if registration.listens { listener.withLock { $0 = socket } }
            registrations.put(.success(taken))
            if !registration.listens { return await socket.closeAndWait(1000) }
        }
    }

    private func check(
        _ registration: ContactRegistration, _ request: PendingRequest, _ challenge: [UInt8]
    ) throws -> Registration {
        let host = request.head["Host"].joined()
        let name = host.lastIndex(of: ":").map { String(host[..<$0]) } ?? host
        do {
            _ = try registration.authenticator(host: name.lowercased(), challenge: challenge)
        } catch {
            throw Deviation("the proof in its registration is wrong: \(error.reason)")
        }
        // The same key and label have the same contact ID in every case.
        let contactIDs = registration.labels.map { label in
            let whole = registration.publicKey + label.bytes
            return SHA256.hash(whole.span)
        }
        return Registration(
            labels: registration.labels.map(\.bytes), contactIDs: contactIDs, listens: registration.listens)
    }

    /// Wakes the authenticator that listens.
    func wake(_ contactID: [UInt8], _ wake: Wake) async throws {
        guard let socket = listener.withLock({ $0 }) else { throw Deviation("it does not listen") }
        let message = ServiceMessage.wake(
            .init(
                contactID: contactID, tunnelID: wake.tunnelID, routingID: AuthenticatorTestContext.routingID,
                clientPayload: wake.payload))
        await socket.send(message.encoded())
    }

    /// Sets a fault for the next connection alone.
    func fail(next fault: Fault) { nextFault.withLock { $0 = fault } }

    /// Ends the connection of the authenticator that listens.
    ///
    /// - Parameter code: that of the Close frame; without one there is no such frame.
    func closeListener(_ code: UInt16? = nil) async {
        guard let socket = listener.withLock({ $0.take() }) else { return }
        if let code { await socket.send(.close(code, reason: "")) }
        await socket.close()
    }
}
