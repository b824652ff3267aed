package import HybridProtocol
import LinuxSupport

// The contact protocol's messages through a data channel.

extension DataChannel {
    /// Waits for the service's first message.
    ///
    /// - Returns: the challenge, 32 bytes.
    /// - Throws: `DataChannelError`.
    func receiveChallenge(within limits: ContactListener.Limits) async throws(DataChannelError) -> [UInt8] {
        guard case .hello(let challenge) = try ServiceMessage(received: await receive(within: limits)) else {
            throw .contactViolation("the service does not begin with a hello")
        }
        return challenge
    }

    /// Waits for the answer to the first registration.
    ///
    /// - Parameter count: the number of labels in it.
    /// - Returns: their contact IDs, and the next challenge.
    /// - Throws: `DataChannelError`.
    func receiveRegistered(
        count: Int, within limits: ContactListener.Limits
    ) async throws(DataChannelError) -> (contactIDs: [ContactID], challenge: [UInt8]) {
        guard
            case .registered(let contactIDs, let challenge) = try ServiceMessage(
                received: await receive(within: limits))
        else { throw .contactViolation("the service does not answer the registration") }
        return (try ContactID.all(contactIDs, count: count), challenge)
    }

    /// Waits for the next message, but only so long; after a time-out the channel is of no more use.
    private func receive(within limits: ContactListener.Limits) async throws(DataChannelError) -> [UInt8] {
        do {
            return try await limits.timer.within(limits.answer) { try await receive() }
        } catch let error as DataChannelError {
            throw error
        } catch {
            throw error is DeadlineExceeded
                ? DataChannelError(.timeout, reason: "the tunnel service did not answer in time")
                : DataChannelError(.cancelled, reason: "cancelled")
        }
    }
}

extension ContactID {
    /// The contact IDs of a registration.
    ///
    /// - Throws: `framing-violation` if there are others than were asked for.
    static func all(_ contactIDs: [[UInt8]], count: Int) throws(DataChannelError) -> [ContactID] {
        let all = contactIDs.compactMap { try? ContactID($0) }
        guard all.count == count, Set(all).count == count else {
            throw .contactViolation("the service gave other contact IDs than were asked for")
        }
        return all
    }
}

extension ServiceMessage {
    /// Reads a message of a service.
    ///
    /// - Throws: `framing-violation`.
    init(received bytes: [UInt8]) throws(DataChannelError) {
        do throws(TunnelProtocolError) {
            try self.init(decoding: bytes)
        } catch {
            throw .contactViolation(error.description)
        }
    }
}

extension TunnelURL.Service {
    /// The name that the service is asked under, without scheme and port, as the Host header has it.
    var contactHost: String {
        let authority = base.firstRange(of: "://").map { base[$0.upperBound...] } ?? base[...]
        let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[afterAddress...].lastIndex(of: ":") ?? authority.endIndex
        return authority[..<colon].lowercased()
    }
}

extension DataChannelError.Code {
    /// Another listener with the same contact key is connected now; two would replace each other for ever
    /// (TS-CON-22).
    package static let replaced = Self(rawValue: "replaced")
    /// The service refuses the proof of our contact key.
    package static let wrongProof = Self(rawValue: "wrong-proof")
    /// The list of links could not be read, so that nothing was registered.
    package static let linksUnavailable = Self(rawValue: "links-unavailable")
    /// The contact key could not sign: libcrypto failed, or there are more than 64 links.
    package static let contactFailed = Self(rawValue: "contact-failed")
}

extension DataChannelError {
    /// A service that breaks the contact protocol.
    static func contactViolation(_ reason: String) -> Self { Self(.framingViolation, reason: reason) }

    /// The same error, under the name that the contact protocol has for it.
    var asContactError: Self {
        switch closeCode {
        case CloseCode.replaced.rawValue:
            Self(.replaced, reason: "another listener of this authenticator has taken over", closeCode: closeCode)
        case CloseCode.wrongProof.rawValue:
            Self(
                .wrongProof, reason: "the tunnel service refuses the contact key, or has another name",
                closeCode: closeCode)
        case CloseCode.tooManyMessages.rawValue:
            Self(.tooManyRequests, reason: "the tunnel service received too many messages", closeCode: closeCode)
        default: self
        }
    }

    /// True if waiting does not help.
    ///
    /// - Parameter afterRegistration: true if the service has accepted us before: then its failure may be temporary.
    func isPermanent(afterRegistration: Bool) -> Bool {
        switch code {
        case .replaced, .wrongProof, .contactFailed: true
        case .invalidURL, .upgradeRefused, .subprotocolMissing, .redirectRefused, .tlsFailed, .gone: !afterRegistration
        default: false
        }
    }
}
