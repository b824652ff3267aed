package import BluetoothLE
package import Encodings
package import HybridProtocol
internal import HybridTransport
internal import PasskeyAuthenticator

/// An emulated phone: the runner's authenticator with the quirks of a persona. Its passkeys last as long as it does,
/// and its links wake nobody.
///
/// Without a quirk it is an authenticator of CTAP 2.3: it offers L2CAP and a link where the QR code asks for them,
/// reads CBOR in any order, and answers every command.
package struct EmulatedPhone: Sendable {
    /// The radio on which it advertises.
    package enum Radio: Sendable {
        case simulated(SimulatedRadioAddress)
        /// A real one, on which it has no L2CAP, and its sender.
        case real(any Advertiser)
    }

    /// An event of a session.
    package enum Event: HybridTransport.Event, Equatable {
        case opened
        /// The advert: its service, and the lengths of service data and suffix.
        case advertised(service: UInt16, suffixByteCount: Int)
        /// It advertises no more, though no client has come.
        case silent
        case connected(isNearby: Bool)
        case linkOffered
        /// A request, and the status of its answer; nil if it got none.
        case answered(command: UInt8, status: UInt8?)
        case ended(String)
    }

    let quirks: Set<PhoneQuirk>
    let radio: Radio
    let service: ServiceSettings
    /// True if its user declines every request.
    let declines: Bool
    /// The number of adverts that it sends at least on the simulated radio, before it answers a client.
    let leastAdverts: Int
    /// The time for which it advertises, with the quirk.
    let advertLimit: Duration
    let store = InMemoryCredentialStore()
    /// Waits between two adverts.
    let pause: @Sendable (Duration) async throws -> Void
    let observe: @Sendable (Event) -> Void

    /// The time that a client may take to come, and to ask.
    private static let patience = Duration.seconds(120)
    /// The least interval of this project's own adverts, and that of Android's mode of low latency.
    private static let interval = Duration.milliseconds(20)
    private static let lowLatency = Duration.milliseconds(100)

    package init(
        _ quirks: Set<PhoneQuirk>, radio: Radio, service: ServiceSettings, declines: Bool = false,
        leastAdverts: Int = 1, advertLimit: Duration = .seconds(20),
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.quirks = quirks
        self.radio = radio
        self.service = service
        self.declines = declines
        self.leastAdverts = leastAdverts
        self.advertLimit = advertLimit
        self.pause = pause
        self.observe = observe
    }

    /// The UUID under which a phone with these quirks advertises.
    package static func service(_ quirks: Set<PhoneQuirk>) -> ServiceUUID {
        quirks.contains(.uuidFDE2) ? .google : .fido
    }

    func has(_ quirk: PhoneQuirk) -> Bool { quirks.contains(quirk) }

    /// Answers a QR code, and serves its session to the end.
    ///
    /// - Throws: ``EmulationError`` for a code that it does not take, a service that gives no tunnel, and a client that
    ///   breaks the protocol; `CancellationError`.
    package func answer(_ text: String) async throws {
        do {
            let code = try read(text)
            try await ServiceTestContext.with(service, record: CaseRecord()) { context in
                try await serve(code, context)
            }
        } catch let deviation as Deviation {
            throw EmulationError(.emulation, reason: deviation.reason)
        } catch let deviation as NotApplicable {
            throw EmulationError(.emulation, reason: deviation.reason)
        }
    }

    /// Reads a QR code as the persona does.
    private func read(_ text: String) throws -> ScannedCode {
        var text = text[...]
        if has(.findsCodeInText), let start = text.firstRange(of: Invitation.urlPrefix)?.lowerBound {
            text = text[start...].prefix { !$0.isWhitespace }
        }
        guard text.hasPrefix(Invitation.urlPrefix) else { throw Deviation("the text is not a QR code of FIDO") }
        let code = try ScannedCode(url: String(text))
        guard code.secret.bytes.count == Invitation.secretByteCount || has(.anySecret) else {
            throw Deviation("its secret has \(code.secret.bytes.count) bytes")
        }
        guard !has(.refusesChannelList) || code.map[InvitationKey.channels]?.arrayValue == nil else {
            throw Deviation("key 6 of its QR code is an array")
        }
        return code
    }

    private func serve(_ code: ScannedCode, _ context: ServiceTestContext) async throws {
        let digits = Hexadecimal.encode(code.secret.tunnelID(), has(.lowerCaseTunnel) ? .lowerCase : .upperCase)
        let tunnel = try await context.authenticator(digits)
        guard let routingID = Hexadecimal.decode(tunnel.routingID), routingID.count == 3 else {
            throw Deviation("the tunnel service's routing ID is not 3 bytes")
        }
        observe(.opened)
        var socket = tunnel.socket
        socket.endsAtPing = has(.endsAtPing)
        let domain: [UInt8] = has(.domainApple) ? [1, 0] : [0, 0]
        let plaintext = [0] + nonce() + routingID + domain
        let arrival = try await meet(code, socket, try code.secret.seal(advert: plaintext))
        let presharedKey = code.secret.presharedKey(plaintext)
        switch arrival {
        case .tunnel(let message):
            try await PhoneSession(phone: self, code: code).serve(socket, message, presharedKey)
        case .nearby(let end, let message):
            await socket.close()
            try await PhoneSession(phone: self, code: code).serve(end, message, presharedKey)
        }
    }

    /// A nonce: 10 bytes.
    private func nonce() -> [UInt8] {
        guard has(.timeInNonce) else { return randomBytes(count: 10) }
        let milliseconds = secondsSince1970() * 1_000
        return (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(56 - 8 * $0)) } + [0, 0]
    }

    /// The client's message 1, and the channel that it came on.
    private enum Arrival: Sendable {
        case tunnel([UInt8])
        case nearby(NearbyEnd, [UInt8])
    }

    /// Advertises until a client has come.
    private func meet(_ code: ScannedCode, _ socket: WebSocketEnd, _ sealed: [UInt8]) async throws -> Arrival {
        let radio: AdvertTransmitter.Radio
        let service = Self.service(quirks)
        var listening: (any ListeningChannel)?
        switch self.radio {
        case .real(let advertiser): radio = .real(advertiser, under: service)
        case .simulated(let address):
            radio = .simulated(address)
            if code.offersNearby, !has(.noSuffix) {
                listening = try await SimulatedChannels(at: [address]).listen()
            }
        }
        let suffix = listening.map { ClientTestContext.suffix($0.psm) } ?? []
        observe(.advertised(service: service.rawValue, suffixByteCount: suffix.count))
        let advert = TestAdvert(service: service, data: sealed + suffix)
        let channel = listening
        let transmitter = AdvertTransmitter(
            radio: radio, record: socket.record, interval: has(.advertEach100ms) ? Self.lowLatency : Self.interval,
            leastCount: leastAdverts, limit: has(.advertises20Seconds) ? advertLimit : nil, pause: pause
        ) { observe(.silent) }
        let arrival = try await transmitter.send([advert]) {
            try await within(Self.patience, "a client") { try await Self.first(on: socket, channel) }
        }
        await listening?.close()
        return arrival
    }

    private static func first(on socket: WebSocketEnd, _ channel: (any ListeningChannel)?) async throws -> Arrival {
        try await withThrowingTaskGroup(of: Arrival.self) { group in
            group.addTask {
                do { return .tunnel(try await socket.message()) } catch is WebSocketEnd.Closed {
                    throw Deviation("the tunnel service ended the tunnel before a client came")
                }
            }
            if let channel {
                group.addTask {
                    guard let accepted = try await channel.accept() as? any SDUChannel else {
                        throw Deviation("the radio has no SDUs")
                    }
                    let end = NearbyEnd(accepted, NearbyEnd.terminated, socket.record)
                    return .nearby(end, try await end.message { $0.count == handshakeMessageByteCount })
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

/// The end of an emulated device's session that it did not want.
package typealias EmulationError = CodedError<EmulationErrorCode>

/// Kind of error.
package enum EmulationErrorCode: String, ErrorCode {
    /// The other side, or the tunnel service, does not do as the emulated device demands.
    case emulation
}
