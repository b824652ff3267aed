internal import CTAP
internal import Encodings
package import HybridProtocol
internal import HybridTransport

/// An emulated client: the runner's client with the quirks of a persona.
///
/// Without a quirk it is a client of CTAP 2.3 that offers to be linked, keeps no link, and has no L2CAP.
package struct EmulatedClient: Sendable {
    /// Result of a session.
    package struct Outcome: Sendable, Equatable {
        /// The answer: a status byte and the bytes behind it.
        package let answer: [UInt8]
        /// True if an update came.
        package let hasUpdate: Bool
    }

    let quirks: Set<ClientQuirk>
    let scanner: any AdvertScanner
    let service: ServiceSettings

    /// The time that an authenticator may take to be seen, and for each step.
    private static let patience = Duration.seconds(120)
    private typealias MessageType = SessionMessageType

    package init(_ quirks: Set<ClientQuirk>, scanner: any AdvertScanner, service: ServiceSettings) {
        self.quirks = quirks
        self.scanner = scanner
        self.service = service
    }

    private func has(_ quirk: ClientQuirk) -> Bool { quirks.contains(quirk) }

    /// The code of a session, as the persona shows it.
    func code() throws -> TestCode {
        var code = try TestCode()
        code.map[InvitationKey.linking] = has(.linkingAbsent) ? nil : .bool(!has(.linkingFalse))
        code.map[InvitationKey.channels] = has(.noChannelList) ? nil : [0]
        if has(.noHint) { code.map[InvitationKey.hint] = nil }
        return code
    }

    /// A request that makes a passkey for a site that does not exist.
    package static func makeCredential() -> [UInt8] { AuthenticatorTestContext.makeCredential() }

    /// Shows a code, and sends one request to the authenticator that answers it.
    ///
    /// - Parameters:
    ///   - request: the command byte and the parameters.
    ///   - show: gets the text of the code.
    /// - Throws: ``EmulationError``; `RadioError`; `CancellationError`.
    package func ask(_ request: [UInt8], show: @escaping @Sendable (String) -> Void) async throws -> Outcome {
        do {
            let code = try code()
            let service = service
            return try await scanner.scan { adverts in
                show(code.url)
                let plaintext = try await within(Self.patience, "an advert") { try await open(adverts, code) }
                let outcome = Mailbox<Outcome>()
                try await ServiceTestContext.with(service, record: CaseRecord()) { context in
                    outcome.put(try await ask(request, code, plaintext, context))
                }
                guard let outcome = outcome.takeAll().first else { throw CancellationError() }
                return outcome
            }
        } catch let deviation as Deviation {
            throw EmulationError(.emulation, reason: deviation.reason)
        } catch let closed as WebSocketEnd.Closed {
            throw EmulationError(.emulation, reason: "the \(closed.channel) was closed before the answer")
        }
    }

    /// The plaintext of the first advert that opens.
    private func open(_ adverts: ReceivedAdverts, _ code: TestCode) async throws -> [UInt8] {
        for try await advert in adverts {
            guard !has(.advertsOf20Bytes) || advert.serviceData.count == AdvertKey.advertByteCount else { continue }
            if let plaintext = try code.secret.open(advert: advert.serviceData) { return plaintext }
        }
        throw Deviation("the radio has ended")
    }

    private func ask(
        _ request: [UInt8], _ code: TestCode, _ plaintext: [UInt8], _ context: ServiceTestContext
    ) async throws -> Outcome {
        let letters = has(.lowerCaseTunnel) ? Hexadecimal.Letters.lowerCase : .upperCase
        let routingID = Hexadecimal.encode(plaintext[11..<14], letters)
        let tunnelID = Hexadecimal.encode(code.secret.tunnelID(), letters)
        let (head, connection) = try await context.answer(
            to: context.request("/cable/connect/\(routingID)/\(tunnelID)"))
        guard head.status == 101 else { throw Deviation("the tunnel service answers with status \(head.status)") }
        let socket = WebSocketEnd(connection: connection, side: .client)
        let handshake = try ClientHandshake(
            scalar: code.scalar, presharedKey: code.secret.presharedKey(plaintext))
        await socket.send(handshake.message)
        let response = try await within(Self.patience, "message 2") { try await socket.message() }
        let keys = try handshake.finish(response)
        let session = TunnelSession(socket, keys, asClient: true, timeout: Self.patience)
        if has(.requestFirst) { try await send(request, session) }
        _ = try await session.next("its first message")
        if !has(.requestFirst) { try await send(request, session) }
        return try await answer(session)
    }

    private func send(_ request: [UInt8], _ session: TunnelSession) async throws {
        guard has(.typeBeforePadding) else { return try await session.send(MessageType.ctap, request) }
        try await session.send(padded: [MessageType.ctap] + Direction.padded(request))
    }

    /// Reads the answer, and all messages until the other side closes.
    private func answer(_ session: TunnelSession) async throws -> Outcome {
        var answer: [UInt8]?
        do {
            while true {
                let message = try await session.next("its answer")
                switch message.first {
                case MessageType.ctap? where answer == nil:
                    answer = Array(message.dropFirst())
                    guard !has(.noShutdown) else { throw WebSocketEnd.Closed(code: nil) }
                    try await session.send(MessageType.shutdown)
                case MessageType.shutdown? where has(.shutdownIsAnError):
                    throw Deviation("the authenticator sends a shutdown")
                default: break
                }
            }
        } catch let closed as WebSocketEnd.Closed {
            await session.socket.close()
            guard let answer else { throw closed }
            return Outcome(answer: answer, hasUpdate: await !session.updates.isEmpty)
        }
    }
}
