internal import HybridProtocol
internal import HybridTransport
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The outcome of a server's answer to the upgrade request.
///
/// Source: RFC 6455 section 4.1; HT-TUN-32, HT-TUN-33, HT-TUN-34, HT-TUN-36.
enum UpgradeAnswer: Equatable {
    /// The connection is a WebSocket now.
    case accepted(Acceptance)
    /// The tunnel is elsewhere.
    case redirected(location: String)

    /// The contents of an accepting answer.
    struct Acceptance: Equatable {
        /// The value of ``TunnelHeader/routingID``, if there is one.
        let routingID: String?
        /// True if the service will say when the authenticator has joined.
        let signalsConnection: Bool
    }

    private static let maximumRoutingIDByteCount = 256

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
        guard headers["Sec-WebSocket-Protocol"] == [TunnelWebSocket.subprotocol] else {
            throw DataChannelError(
                .subprotocolMissing,
                reason: "the tunnel service did not select the subprotocol \(TunnelWebSocket.subprotocol)",
                httpStatus: Int(head.status.code)
            )
        }
        let routingIDs = headers[TunnelHeader.routingID]
        guard routingIDs.count <= 1, routingIDs.allSatisfy({ $0.utf8.count <= maximumRoutingIDByteCount }) else {
            throw refusal("the answer has more than one \(TunnelHeader.routingID), or an overlong one")
        }
        // Its value means nothing: that it is there is the agreement.
        let signalsConnection = headers.contains(name: TunnelHeader.signalConnection)
        return Acceptance(routingID: routingIDs.first, signalsConnection: signalsConnection)
    }

    private static func refusal(_ reason: String) -> DataChannelError {
        DataChannelError(
            .upgradeRefused, reason: reason, httpStatus: Int(HTTPResponseStatus.switchingProtocols.code))
    }
}
