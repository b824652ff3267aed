import HybridProtocol
import NIOCore
import NIOHTTP1

/// An answer other than 101: a status of the article TunnelServiceProtocol, and one line of plain text.
///
/// The text never repeats the peer's input.
struct HTTPRefusal: Error, Sendable, Equatable {
    /// The HTTP status.
    let status: HTTPResponseStatus
    /// One line for people, without a line feed.
    let text: String
    /// Headers beyond the usual ones.
    var headers: [Header] = []

    /// A header field.
    struct Header: Sendable, Equatable {
        let name: String
        let value: String

        /// The field by which a client is told that the signal will come.
        static let signalConnection = Header(
            name: TunnelHeader.signalConnection, value: TunnelHeader.signalConnectionValue)
    }

    /// The time that a refused peer is asked to wait before it tries again: 10 seconds.
    private static let retryAfter = Header(name: "Retry-After", value: "10")

    /// The time until the next try, in whole seconds.
    private static func retry(after wait: TimeAmount) -> Header {
        let second = TimeAmount.seconds(1).nanoseconds
        return Header(name: retryAfter.name, value: "\((wait.nanoseconds + second - 1) / second)")
    }

    /// The time that a refused peer is asked to wait, in seconds; 0 if it is asked for none.
    var seconds: UInt64 {
        headers.first { $0.name == Self.retryAfter.name }.flatMap { UInt64($0.value) } ?? 0
    }

    /// 400: the request cannot be understood, or asks for something other than a `fido.cable` WebSocket.
    static func badRequest(_ text: String) -> HTTPRefusal { HTTPRefusal(status: .badRequest, text: text) }

    /// 400: the client's payload is missing, or cannot be read (HT-TUN-17).
    static let badClientPayload = badRequest(
        "one \(TunnelHeader.clientPayload) of \(ServiceMessage.clientPayloadByteCounts.upperBound) bytes or less, in "
            + "hexadecimal digits, is needed")

    /// 400, and which version of WebSocket is spoken here (RFC 6455 section 4.4).
    static let unsupportedVersion = HTTPRefusal(
        status: .badRequest,
        text: "only version 13 of WebSocket is served",
        headers: [Header(name: "Sec-WebSocket-Version", value: "13")]
    )
    /// 403: an `Origin` that is not this service's.
    static let wrongOrigin = HTTPRefusal(status: .forbidden, text: "the Origin is not this service's")
    /// 404: a path that is not served (HT-TUN-27, TS-CON-3).
    static let unknownPath = HTTPRefusal(status: .notFound, text: "nothing is served under this path")
    /// 403: an authenticator that wants to be woken by another service (HT-TUN-24).
    static let wrongHost = HTTPRefusal(status: .forbidden, text: "the Host is not this service's")
    /// 404: the routing ID is another node's: the balancer in front is set up wrongly, or the node is gone (HT-TUN-45).
    static let otherNode = HTTPRefusal(status: .notFound, text: "the routing ID is that of another node")
    /// 404: no tunnel of this ID waits here (HT-TUN-44).
    static let unknownTunnel = HTTPRefusal(status: .notFound, text: "there is no such tunnel")
    /// 405: not GET.
    static let methodNotAllowed = HTTPRefusal(
        status: .methodNotAllowed,
        text: "only GET is served",
        headers: [Header(name: "Allow", value: "GET")]
    )
    /// 408: the request's head did not come in time.
    static let tooSlow = HTTPRefusal(status: .requestTimeout, text: "the request did not arrive in time")
    /// 409: a tunnel of this ID is open already (HT-TUN-42).
    static let tunnelInUse = HTTPRefusal(status: .conflict, text: "the tunnel ID is in use")
    /// 410: no authenticator wants to be woken by this contact ID, now or ever (HT-CON-33, TS-CON-34).
    static let gone = HTTPRefusal(status: .gone, text: "there is no such contact")
    /// 431: the request's head is longer than allowed.
    static let headTooLong = HTTPRefusal(status: .requestHeaderFieldsTooLarge, text: "the request is too long")
    /// 429: too many connections from this address.
    static let tooManyFromAddress = HTTPRefusal(
        status: .tooManyRequests,
        text: "too many connections from this address",
        headers: [retryAfter]
    )
    /// 429: too many tunnels of this address wait for their second end.
    static let tooManyTunnels = HTTPRefusal(
        status: .tooManyRequests,
        text: "too many waiting tunnels of this address",
        headers: [retryAfter]
    )
    /// 429: too many requests to `contact` from this address.
    static func tooManyContacts(_ wait: TimeAmount) -> HTTPRefusal {
        HTTPRefusal(
            status: .tooManyRequests, text: "too many contacts from this address", headers: [retry(after: wait)])
    }
    /// 429: the authenticator was woken too often (TS-CON-41).
    static func tooManyWakes(_ wait: TimeAmount) -> HTTPRefusal {
        HTTPRefusal(
            status: .tooManyRequests, text: "too many wakes of this authenticator", headers: [retry(after: wait)])
    }
    /// 500: something of this machine failed.
    static let broken = HTTPRefusal(status: .internalServerError, text: "the service failed")
    /// 503: the authenticator of a contact ID is not connected, or does not answer (TS-CON-36).
    static let unreachable = HTTPRefusal(
        status: .serviceUnavailable,
        text: "the authenticator cannot be reached now",
        headers: [retryAfter]
    )
    /// 503: the authenticator does not want to be woken now (TS-CON-37).
    static let declined = HTTPRefusal(
        status: .serviceUnavailable,
        text: "the authenticator declined",
        headers: [retryAfter]
    )
    /// 503: too many connections in all, or others needed this one's place.
    static let full = HTTPRefusal(status: .serviceUnavailable, text: "the service is full", headers: [retryAfter])
    /// 503: the service is ending.
    static let draining = HTTPRefusal(
        status: .serviceUnavailable,
        text: "the service is shutting down",
        headers: [retryAfter]
    )

    /// Every status that the service can refuse with, for its metrics.
    static let statuses: [HTTPResponseStatus] = [
        .badRequest, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .conflict, .gone,
        .requestHeaderFieldsTooLarge, .tooManyRequests, .internalServerError, .serviceUnavailable,
    ]
}
