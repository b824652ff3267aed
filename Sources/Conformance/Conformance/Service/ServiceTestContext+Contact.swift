internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// The contact service of a tunnel service, as authenticators and clients see it: this project's (the article
/// ContactSide of TunnelService).
extension ServiceTestContext {
    static let payloadField = "X-caBLE-Client-Payload"
    static let signalField = "X-caBLE-Signal-Connection"
    /// The client payload of a right contact request, in hexadecimal.
    static let clientPayload = "a301480102030405060708025000112233445566778899aabbccddeeff03626761"

    /// A client's request for a contact.
    func contactRequest(_ contactID: [UInt8], payload: String? = ServiceTestContext.clientPayload) -> ServiceRequest {
        let text = (try? ContactID(contactID))?.base64URL ?? ""
        let request = request(TunnelPath.contactPrefix + text)
        return payload.map { request.with(Self.payloadField, $0) } ?? request
    }

    /// An authenticator that has connected to the contact service, and has received its hello.
    struct Listener: Sendable {
        let socket: WebSocketEnd
        /// The latest.
        let challenge: [UInt8]
        /// The name under which the service was asked.
        let host: String
        /// The private key that owns its contact IDs: 32 bytes.
        let scalar: [UInt8]
    }

    /// Connects as an authenticator that wants to be woken.
    ///
    /// - Parameter scalar: its contact key; a new one if nil.
    /// - Throws: ``NotApplicable`` if the service has no contact service of this kind.
    func listener(_ scalar: [UInt8]? = nil) async throws -> Listener {
        let (head, connection) = try await answer(to: request(TunnelPath.listen))
        guard head.status == 101 else {
            throw NotApplicable(
                "it has no contact service of this kind: it answers \(TunnelPath.listen) with \(head.status)")
        }
        let socket = WebSocketEnd(connection: connection, side: .client)
        guard case .hello(let challenge) = try await serviceMessage(socket) else {
            throw Deviation("it does not begin with a hello")
        }
        return Listener(
            socket: socket, challenge: challenge, host: target.host.lowercased(),
            scalar: try scalar ?? P256.PrivateKey.generate().scalar().copied())
    }

    /// Waits for a message of the contact service.
    func serviceMessage(_ socket: WebSocketEnd) async throws -> ServiceMessage {
        let message = try await message(socket)
        do { return try ServiceMessage(decoding: message) } catch {
            throw Deviation("the messages of its contact service cannot be read: \(error.reason)")
        }
    }

    /// The registration of an authenticator.
    ///
    /// - Parameters:
    ///   - labels: its labels, one for each contact ID.
    ///   - host: the name that is signed; the right one if nil.
    ///   - challenge: the one that is signed; the right one if nil.
    func registration(
        _ listener: Listener, _ labels: [ContactLabel], listens: Bool = true, host: String? = nil,
        challenge: [UInt8]? = nil
    ) throws -> ContactRegistration {
        let key = try P256.PrivateKey(scalar: listener.scalar.span)
        return try ContactRegistration(
            labels: labels, listens: listens, host: host ?? listener.host, challenge: challenge ?? listener.challenge,
            key: key)
    }

    /// An authenticator that can be woken.
    struct Registered: Sendable {
        let listener: Listener
        /// In the order of the labels.
        let contactIDs: [[UInt8]]
        let nextChallenge: [UInt8]
    }

    /// Registers, and demands that it is taken.
    func registers(
        _ listener: Listener, _ labels: [ContactLabel], listens: Bool = true
    ) async throws -> Registered {
        let registration = try registration(listener, labels, listens: listens)
        await listener.socket.send(AuthenticatorMessage.register(registration).encoded())
        guard case .registered(let contactIDs, let challenge) = try await serviceMessage(listener.socket) else {
            throw Deviation("it does not answer a registration")
        }
        try demand(
            contactIDs.count == labels.count, "it gives \(contactIDs.count) contact IDs for \(labels.count) labels")
        return Registered(listener: listener, contactIDs: contactIDs, nextChallenge: challenge)
    }

    /// Connects and registers one label.
    func registered(_ label: ContactLabel? = nil, _ scalar: [UInt8]? = nil) async throws -> Registered {
        try await registers(listener(scalar), [label ?? Self.label()])
    }

    /// A new label.
    static func label() throws -> ContactLabel {
        guard let label = ContactLabel(randomBytes(count: ContactLabel.byteCount)) else {
            throw CancellationError()
        }
        return label
    }

    /// Demands that a registration is refused: the connection ends, and no contact ID comes.
    func refusesRegistration(_ listener: Listener, _ message: [UInt8]) async throws {
        await listener.socket.send(message)
        try await ends(listener.socket)
        try await isAlive()
    }

    /// A client that has asked for a contact, and the wake that it has caused.
    struct Calling: Sendable {
        let connection: WireConnection
        let wake: ServiceMessage.Wake
    }

    /// Sends a contact request, and waits until its authenticator is woken.
    func calls(
        _ registered: Registered, _ change: (ServiceRequest) -> ServiceRequest = { $0 }
    ) async throws -> Calling {
        let connection = try await connect()
        await connection.send(change(contactRequest(registered.contactIDs[0])).bytes)
        guard case .wake(let wake) = try await serviceMessage(registered.listener.socket) else {
            throw Deviation("it does not wake the authenticator")
        }
        return Calling(connection: connection, wake: wake)
    }

    /// The time after which a wake that must not come counts as absent.
    private static let absenceTimeout = Duration.milliseconds(300)

    /// Demands that an authenticator has not been woken.
    func isNotWoken(_ registered: Registered) async throws {
        let message = try? await within(Self.absenceTimeout, "a wake") {
            try await registered.listener.socket.message()
        }
        try demand(message == nil, "it wakes the authenticator")
    }

    /// Joins the tunnel of a client, as its authenticator.
    func joins(_ wake: ServiceMessage.Wake) async throws -> WebSocketEnd {
        let routingID = Hexadecimal.encode(wake.routingID)
        let tunnelID = Hexadecimal.encode(wake.tunnelID)
        let (head, connection) = try await answer(to: request("/cable/connect/\(routingID)/\(tunnelID)"))
        guard head.status == 101 else { throw Deviation("it answers /cable/connect/ with status \(head.status)") }
        return WebSocketEnd(connection: connection, side: .client)
    }

    /// The status with which a request is answered.
    func status(of request: ServiceRequest) async throws -> Int {
        let (head, connection) = try await answer(to: request)
        await connection.close()
        return head.status
    }
}
