internal import Cryptography
internal import HybridProtocol

/// The key that owns our contact IDs, shared by the connections that prove it.
final class ContactKey: Sendable {
    private let key: P256.PrivateKey

    init(_ key: consuming P256.PrivateKey) { self.key = key }

    /// A second owner of the same key.
    ///
    /// - Throws: `contact-failed`.
    convenience init(copying key: borrowing P256.PrivateKey) throws(DataChannelError) {
        do throws(CryptographyError) {
            let scalar = try key.scalar()
            self.init(try P256.PrivateKey(scalar: scalar.span))
        } catch {
            throw DataChannelError(.contactFailed, reason: error.description)
        }
    }

    /// Makes a registration of links, with its proof.
    ///
    /// - Throws: `contact-failed`, for more than 64 links too.
    func registration(
        of links: [LinkID], listens: Bool, host: String, challenge: [UInt8]
    ) throws(DataChannelError) -> ContactRegistration {
        do throws(TunnelProtocolError) {
            return try ContactRegistration(
                labels: links.compactMap { ContactLabel($0.bytes) }, listens: listens, host: host, challenge: challenge,
                key: key)
        } catch {
            throw DataChannelError(.contactFailed, reason: error.description)
        }
    }
}
