internal import Cryptography

/// Link with several owners, such as a file's entry and a ceremony. The secret is wiped when the last one is gone.
public final class SharedLink: Sendable {
    /// The link.
    public let link: Link

    /// Takes a link in.
    public init(_ link: consuming Link) { self.link = link }

    /// The authenticator's identity: the X coordinate of its public key, 32 bytes. Two links of one authenticator
    /// share it.
    public var id: [UInt8] { Array(link.publicKey.compressed.dropFirst()) }
}
