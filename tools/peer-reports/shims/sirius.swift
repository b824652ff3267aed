// Shim of mikhutchinson/SiriusSecurityKey: QR code, domains, keys, CBOR, handshake and frames, as a file of its module.
import CryptoKit
import Foundation

struct Given: HybridRandomSource {
    let bytes: Data
    func randomBytes(count: Int) -> Data { bytes.prefix(count) }
}

func cipher(_ input: Members) -> HybridNoiseCipher {
    let (key, count) = (input.data("key"), UInt32(input.number("counter")))
    return HybridNoiseCipher(readKey: key, writeKey: key, readSequence: count, writeSequence: count)
}

func derive(_ input: Members) throws -> Members {
    guard let purpose = HybridKeyPurpose(rawValue: UInt32(input.number("purpose"))) else { throw Unsupported() }
    let output = try HybridCryptography.derive(
        secret: input.data("secret"), salt: input.data("salt"), purpose: purpose,
        outputByteCount: input.number("length"))
    return ["output": output.hex]
}

func contents(_ code: ParsedHybridQRCode) -> Members {
    [
        "public_key": code.compressedPublicKey.hex, "secret": code.qrSecret.hex,
        "known_domains": code.assignedTunnelServerDomainCount, "timestamp": code.timestamp as Any? ?? NSNull(),
        "linking": code.supportsLinking as Any? ?? NSNull(), "hint": code.requestType.rawValue,
        "channels": (code.transferChannels ?? [.webSocket]).map(\.rawValue),
    ]
}

func finish(_ input: Members) async throws -> Members {
    guard input.text("pattern") == "KNpsk0" else { throw Unsupported() }
    let code = HybridQRBootstrap(uri: "", identityPrivateKey: input.data("static_private"), qrSecret: Data())
    let client = try HybridNoiseHandshakeInitiator(
        bootstrap: code, preSharedKey: input.data("psk"), randomSource: Given(bytes: input.data("ephemeral_private")))
    _ = try await client.makeInitialMessage()
    let session = try await client.processResponse(input.data("message_2"))
    let fields = Mirror(reflecting: session.cipher).children
    func key(_ name: String) -> String { (fields.first { $0.label == name }?.value as? Data ?? Data()).hex }
    return [
        "handshake_hash": session.handshakeHash.hex, "client_to_authenticator_key": key("writeKey"),
        "authenticator_to_client_key": key("readKey"),
    ]
}

let operations: [String: @Sendable (Members) async throws -> Members] = [
    "digits.encode": { ["digits": DigitEncoding.encode($0.data("bytes"))] },
    "digits.decode": { ["bytes": try DigitEncoding.decode($0.text("digits")).hex] },
    "domain.name": { ["domain": try HybridTunnelServerDomain(rawValue: UInt16(clamping: $0.number("id"))).host] },
    "invitation.parse": { contents(try HybridQRCode.parse($0.text("url"))) },
    "cbor.canonical": { ["cbor": try CanonicalCBOR.encode(CanonicalCBOR.decode($0.data("cbor"))).hex] },
    "key.derive": derive, "noise.finish": finish,
    "transport.seal": { ["frame": try await cipher($0).encrypt($0.data("message")).hex] },
    "transport.open": { ["message": try await cipher($0).decrypt($0.data("frame")).hex] },
]

@main struct Shim { static func main() async throws { try await serve("SiriusSecurityKey", operations) } }
