internal import Edges
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// What a server's answer to the upgrade request amounts to.
///
/// Source: RFC 6455 section 4.1; PROTOCOL.md 5.1 and 5.2.
enum UpgradeAnswer: Equatable {
    /// The connection is a WebSocket now.
    case accepted(Acceptance)
    /// The tunnel is elsewhere.
    case redirected(location: String)

    /// What an accepting answer says besides.
    struct Acceptance: Equatable {
        /// The value of `X-caBLE-Routing-ID`, if there is one.
        let routingID: String?
        /// Whether it says when the authenticator has joined.
        let signalsConnection: Bool
    }

    static let subprotocol = "fido.cable"
    /// The name of the header by which a client asks to be told of the authenticator, and a service agrees to that.
    static let signalHeader = "X-caBLE-Signal-Connection"
    private static let routingIDHeader = "X-caBLE-Routing-ID"
    private static let longestRoutingIDHeader = 256

    /// Judges the head of an answer.
    ///
    /// - Parameter key: the `Sec-WebSocket-Key` that was sent.
    /// - Throws: `upgradeRefused`, `gone`, `subprotocolMissing`, `redirectRefused` without a location.
    init(judging head: HTTPResponseHead, key: String) throws(DataChannelError) {
        switch head.status {
        case .switchingProtocols:
            self = .accepted(try Self.accept(head, key: key))
        case .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect:
            let locations = head.headers["Location"]
            guard let location = locations.first, locations.count == 1 else {
                throw WebSocketURL.redirectRefusal("a redirect names no one location")
            }
            self = .redirected(location: location)
        default:
            throw DataChannelError(refusedWith: head)
        }
    }

    private static func accept(_ head: HTTPResponseHead, key: String) throws(DataChannelError) -> Acceptance {
        let headers = head.headers
        // Whatever this lets through NIO's HTTP parser must take for an upgrade too; it knows no tabs in a list.
        guard head.version == .http1_1, !headers["Connection"].contains(where: { $0.contains("\t") }),
            headers[canonicalForm: "Upgrade"].map({ $0.lowercased() }) == ["websocket"],
            headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw refusal("the answer does not upgrade to a WebSocket") }
        // NIO's own check, for the digest of the key; its pipeline is not used.
        let upgrader = NIOWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        guard upgrader.shouldAllowUpgrade(upgradeResponse: head) else {
            throw refusal("the answer does not prove that the request was read (Sec-WebSocket-Accept)")
        }
        guard headers["Sec-WebSocket-Extensions"].isEmpty else {
            throw refusal("the answer selects an extension that was not offered")
        }
        guard headers["Sec-WebSocket-Protocol"] == [subprotocol] else {
            throw DataChannelError(
                .subprotocolMissing,
                reason: "the tunnel service did not select the subprotocol \(subprotocol)",
                httpStatus: Int(head.status.code)
            )
        }
        let routingIDs = headers[routingIDHeader]
        guard routingIDs.count <= 1, routingIDs.allSatisfy({ $0.utf8.count <= longestRoutingIDHeader }) else {
            throw refusal("the answer has more than one \(routingIDHeader), or an overlong one")
        }
        // Whatever it says: that it is there is the agreement.
        return Acceptance(routingID: routingIDs.first, signalsConnection: headers.contains(name: signalHeader))
    }

    private static func refusal(_ reason: String) -> DataChannelError {
        DataChannelError(
            .upgradeRefused, reason: reason, httpStatus: Int(HTTPResponseStatus.switchingProtocols.code))
    }
}
