internal import Cryptography

/// A link with several holders: a file's entry, a ceremony, and whoever is told of it. The secret is wiped when the last one lets go.
public final class SharedLink: Sendable {
    /// The link.
    public let link: Link

    /// Takes a link in.
    public init(_ link: consuming Link) { self.link = link }

    /// Who is at the other end: the X coordinate of the authenticator's public key, 32 bytes. Two links of one authenticator share it.
    public var id: [UInt8] { Array(link.publicKey.compressed.dropFirst()) }
}
