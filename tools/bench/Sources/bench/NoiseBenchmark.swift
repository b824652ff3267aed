internal import CFloor
internal import Cryptography
internal import HybridProtocol
internal import Measuring

/// One side of a QR-initiated handshake, from the secret to the secure channel, against the libcrypto calls that it
/// needs.
func noiseBenchmark() throws {
    Report.title("One side of KNpsk0 against its bare libcrypto calls")
    let bench = try NoiseBenchmark()
    Report.line("initiator", try bench.initiator(), aim: aim)
    Report.line("responder", try bench.responder(), aim: aim)
}

private let aim = 1.10
private let handshakesPerBlock = 20

private struct NoiseBenchmark {
    private let advert: AdvertPlaintext
    private let floorKey: UnsafeMutableRawPointer
    private let floorPoint: [UInt8]

    init() throws {
        try check(floor_prepare(), "floor_prepare")
        var point = [UInt8](repeating: 0, count: P256.uncompressedByteCount)
        guard let key = floor_key_new(&point) else { throw BenchError("no key") }
        floorKey = key
        floorPoint = point
        advert = try AdvertPlaintext(
            nonce: randomBytes(count: AdvertPlaintext.nonceByteCount), routingID: RoutingID([1, 2, 3]),
            domain: TunnelDomain(0))
    }

    func initiator() throws -> Comparison {
        try Comparison(count: handshakesPerBlock) { stopwatch, count in
            let pairs = try (0..<count).map { _ in try InvitationPair() }
            // Message 1 of all, then the others' answers, then the end of all: only ours runs under the stopwatch.
            let initiators = pairs.map { _ in Box<Initiator>() }
            try stopwatch.time {
                for (pair, initiator) in zip(pairs, initiators) {
                    initiator.content = try Initiator(pair.ours.take(), advert: advert, ephemeralKey: .generate())
                }
            }
            let responses = try zip(pairs, initiators).map { pair, initiator in
                let responder = try Responder(pair.theirs.take(), advert: advert)
                return try responder.answer(initiator.message.span, ephemeralKey: .generate()).response
            }
            try stopwatch.time {
                for (initiator, response) in zip(initiators, responses) {
                    _ = try initiator.take().finish(response.span)
                }
            }
        } floor: { stopwatch, count in
            try stopwatch.time {
                for _ in 0..<count { try check(floor_initiator(floorKey, floorPoint), "floor_initiator") }
            }
        }
    }

    func responder() throws -> Comparison {
        try Comparison(count: handshakesPerBlock) { stopwatch, count in
            let pairs = try (0..<count).map { _ in try InvitationPair() }
            let messages = try pairs.map { pair in
                try Initiator(pair.ours.take(), advert: advert, ephemeralKey: .generate()).message
            }
            try stopwatch.time {
                for (pair, message) in zip(pairs, messages) {
                    let responder = try Responder(pair.theirs.take(), advert: advert)
                    _ = try responder.answer(message.span, ephemeralKey: .generate())
                }
            }
        } floor: { stopwatch, count in
            try stopwatch.time {
                for _ in 0..<count { try check(floor_responder(floorKey, floorPoint), "floor_responder") }
            }
        }
    }
}

/// An invitation as the client holds it, and as the authenticator reads it.
private struct InvitationPair {
    let ours = Box<ClientInvitation>()
    let theirs = Box<Invitation>()

    init() throws {
        let key = try P256.PrivateKey.generate()
        let secret = SecretBytes.random(count: Invitation.secretByteCount)
        let details = Invitation.Details(timestamp: nil, hint: .getAssertion)
        theirs.content = try Invitation(clientPublicKey: key.publicKey, secret: secret.clone(), details: details)
        ours.content = try ClientInvitation(privateKey: key, secret: secret, details: details)
    }
}

/// Holds a value that cannot be copied, so that an array can hold it.
private final class Box<Content: ~Copyable> {
    var content: Content?

    func take() throws -> Content {
        guard let content = content.take() else { throw BenchError("taken twice") }
        return content
    }
}

extension Box<Initiator> {
    /// Message 1.
    var message: [UInt8] { content?.message ?? [] }
}
