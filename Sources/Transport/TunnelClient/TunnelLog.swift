internal import HybridProtocol
internal import Logging

/// Log of the tunnel service's connections: at debug how each is made and ends, at trace the length of each message.
///
/// Hosts are metadata, so that a report can leave them out; tunnel IDs, routing IDs and contents are not in it.
enum TunnelLog {
    private static let logger = Logger(label: "tunnel")

    /// Notes a step, and the server that it is about.
    static func note(_ step: String, _ server: WebSocketURL? = nil) {
        logger.debug("\(step)", metadata: server.map { ["service": "\($0.origin)"] })
    }

    /// Notes a message that goes or comes.
    static func note(_ direction: String, byteCount: Int) { logger.trace("\(direction) \(byteCount) bytes") }

    /// Notes that a server is connected to.
    static func connecting(to server: WebSocketURL, _ way: ProxySettings.Way) {
        var metadata: Logger.Metadata = ["service": "\(server.origin)"]
        if let proxy = way.proxy { metadata["proxy"] = "\(proxy)" }
        let kind = "\(server.isSecure ? "TLS" : "no TLS"), \(way.proxy == nil ? "no proxy" : "by a proxy")"
        logger.debug("connecting: \(kind)", metadata: metadata)
    }

    /// Notes why a server was not connected to, or refused. The reason may name hosts.
    static func failed(_ error: DataChannelError) {
        let status = error.httpStatus.map { ", status \($0)" } ?? ""
        logger.debug("failed: \(error.code.rawValue)\(status)", metadata: ["reason": "\(error.reason)"])
    }
}
