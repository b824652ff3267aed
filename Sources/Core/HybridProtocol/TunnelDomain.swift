internal import Cryptography

/// The number by which an advert names a tunnel service's domain (the article Tunnel service
/// domains): 16 bits, little-endian on the air (HT-ADV-4).
public struct TunnelDomain: Sendable, Hashable {
    /// The number: 0, 1, or 256 and above (HT-DOM-3).
    public let number: UInt16

    /// Google's service.
    public static let google = TunnelDomain(known: 0)
    /// Apple's service.
    public static let apple = TunnelDomain(known: 1)
    /// A computed domain that nobody is known to have: for adverts of a service that no advert can name, so that a
    /// client that was not told of it does not come to somebody else's.
    package static let unnamed = TunnelDomain(known: .max)

    /// The assigned domains, by their number (HT-DOM-1).
    private static let assigned = ["cable.ua5v.com", "cable.auth.com"]
    /// The first number whose domain is computed rather than assigned (HT-DOM-5).
    private static let firstHashed: UInt16 = 256

    /// The number of assigned domains, which a client states in key 2 of its QR code: 2.
    public static let assignedCount = assigned.count

    /// Checks that the number stands for a domain.
    ///
    /// - Throws: `unassignedDomain` for 2 to 255 (HT-DOM-2).
    public init(_ number: UInt16) throws(HybridProtocolError) {
        guard Int(number) < Self.assigned.count || number >= Self.firstHashed else {
            throw HybridProtocolError(.unassignedDomain, reason: "tunnel domain \(number) is not assigned to anybody")
        }
        self.number = number
    }

    private init(known number: UInt16) { self.number = number }

    /// True if a client can come to the domain: it is computed, or the client knows it (HT-DOM-4).
    ///
    /// - Parameter count: the number of assigned domains that the client knows, key 2 of its QR code; nil where it does
    ///   not say.
    public func isKnown(toClientKnowing count: UInt64?) -> Bool {
        number >= Self.firstHashed || UInt64(number) < count ?? .max
    }

    /// The domain's host name, for instance `cable.ua5v.com` for 0 or `cable.wufkweyy3uaxb.com` for 266.
    public func host() -> String {
        number < Self.firstHashed ? Self.assigned[Int(number)] : hashedHost()
    }

    /// A host name that is computed from the number (HT-DOM-6, HT-DOM-7, HT-DOM-8, HT-DOM-9, HT-DOM-10).
    private func hashedHost() -> String {
        let prefix = Array("caBLEv2 tunnel server domain".utf8)
        let numberAndZero = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0]
        let digest = SHA256.hash(prefix.span, numberAndZero.span)
        var value = digest.prefix(8).reversed().reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        let topLevel = ["com", "org", "net", "info"][Int(value & 3)]
        value >>= 2
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var label: [UInt8] = []
        while value != 0 {
            label.append(alphabet[Int(value & 31)])
            value >>= 5
        }
        return "cable.\(String(decoding: label, as: UTF8.self)).\(topLevel)"
    }
}

/// The URL of a tunnel at a tunnel service (HT-TUN-4, HT-TUN-5, HT-TUN-13).
///
/// Hexadecimal digits are lower case: every service takes them, and one insists (HT-TUN-7).
public struct TunnelURL: Sendable, Hashable {
    /// The whole URL, scheme `wss` or `ws`.
    public let text: String

    /// A tunnel service: the domain's own, or one at another address.
    public struct Service: Sendable, Hashable {
        /// The scheme, the name and perhaps the port, to which a path is appended.
        package let base: String

        /// The service of a tunnel domain, by TLS on the standard port.
        public init(_ domain: TunnelDomain) { base = "wss://\(domain.host())" }

        /// A service at another address, for tests and labs.
        ///
        /// - Parameter address: `wss://host[:port]`, or `ws://` for one on this machine; a slash at the end is dropped.
        public init(address: String) {
            base = address.hasSuffix("/") ? String(address.dropLast()) : address
        }
    }

    /// The URL at which an authenticator opens a tunnel (HT-TUN-5).
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret.
    ///   - service: the address of the tunnel service.
    public static func new(_ tunnelID: TunnelID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.newPrefix)\(tunnelID.hex)")
    }

    /// The URL at which a client joins it, or an authenticator that was woken (HT-TUN-4).
    ///
    /// - Parameters:
    ///   - tunnelID: derived from the QR secret; for a woken authenticator, the wake's.
    ///   - routingID: the advert's, or the wake's.
    ///   - service: the address of the tunnel service.
    public static func connect(_ tunnelID: TunnelID, routingID: RoutingID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.connectPrefix)\(routingID.hex)/\(tunnelID.hex)")
    }

    /// The URL at which a linked client asks for its authenticator (HT-TUN-13).
    ///
    /// - Parameters:
    ///   - contactID: the name by which the service reaches it.
    ///   - service: the address of the tunnel service.
    public static func contact(_ contactID: ContactID, at service: Service) -> Self {
        Self(text: "\(service.base)\(TunnelPath.contactPrefix)\(contactID.base64URL)")
    }
}
