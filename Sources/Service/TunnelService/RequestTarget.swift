import Encodings
import HybridProtocol
import NIOHTTP1

/// The request of a peer, read from the request line (HT-TUN-27).
enum RequestTarget: Sendable, Equatable {
    /// `/cable/new/<tunnel ID>`: an authenticator opens a tunnel.
    case open(TunnelID)
    /// `/cable/connect/<routing ID>/<tunnel ID>`: a client, or an authenticator that was woken, joins it.
    case join(RoutingID, TunnelID)
    /// `/cable/listen`: an authenticator wants to be woken.
    case listen
    /// `/cable/contact/<contact ID>`: a client opens a tunnel and has the authenticator woken.
    case contact([UInt8])

    /// True if it is for a tunnel that is there.
    var joins: Bool { if case .join = self { true } else { false } }

    /// Reads the method and the path.
    ///
    /// - Throws: ``HTTPRefusal`` with status 405 for a method other than GET, 404 for a path that is not served, 400
    ///   for one that is served with malformed IDs.
    init(method: HTTPMethod, path: String) throws(HTTPRefusal) {
        guard method == .GET else { throw .methodNotAllowed }
        if path.hasPrefix(TunnelPath.newPrefix) {
            self = try Self.opening(path.dropFirst(TunnelPath.newPrefix.count))
        } else if path.hasPrefix(TunnelPath.connectPrefix) {
            self = try Self.joining(path.dropFirst(TunnelPath.connectPrefix.count))
        } else if path.hasPrefix(TunnelPath.contactPrefix) {
            self = try Self.contacting(path.dropFirst(TunnelPath.contactPrefix.count))
        } else if path == TunnelPath.listen {
            self = .listen
        } else {
            throw .unknownPath
        }
    }

    private static func contacting(_ text: Substring) throws(HTTPRefusal) -> RequestTarget {
        guard let contactID = Base64URL.decode(text), !contactID.isEmpty else {
            throw .badRequest(
                "after \(TunnelPath.contactPrefix) there must be a contact ID in base64url without padding")
        }
        return .contact(contactID)
    }

    private static func opening(_ text: Substring) throws(HTTPRefusal) -> RequestTarget {
        guard let tunnelID = try? TunnelID(hex: text) else {
            throw .badRequest("after \(TunnelPath.newPrefix) there must be a tunnel ID of 32 hexadecimal digits")
        }
        return .open(tunnelID)
    }

    private static func joining(_ text: Substring) throws(HTTPRefusal) -> RequestTarget {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2,
            let routingID = parts.first.flatMap({ try? RoutingID(hex: $0) }),
            let tunnelID = parts.last.flatMap({ try? TunnelID(hex: $0) })
        else {
            throw .badRequest(
                "after \(TunnelPath.connectPrefix) there must be a routing ID of 6 and a tunnel ID of 32 "
                    + "hexadecimal digits"
            )
        }
        return .join(routingID, tunnelID)
    }
}
