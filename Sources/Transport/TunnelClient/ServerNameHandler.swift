internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Checks that the server's certificate is for the name that was asked for. It stands behind TLS.
///
/// NIOSSL takes a certificate for the address of the socket too, whatever the name: that would be the proxy's, or one
/// that a forged answer of DNS gave.
///
/// Source: RFC 9525 sections 6.3 and 6.4; HT-TUN-90.
final class ServerNameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let name: String

    /// - Parameter name: in lower case.
    init(_ name: String) { self.name = name }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            guard certificate?.isFor(name) == true else {
                context.fireErrorCaught(NIOSSLExtraError.failedToValidateHostname)
                return context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

extension NIOSSLCertificate {
    /// True if one of the certificate's DNS names is the host's, or has a wildcard in the place of the host's first
    /// label.
    fileprivate func isFor(_ host: String) -> Bool {
        _subjectAlternativeNames().contains { entry in
            guard entry.nameType == .dnsName else { return false }
            let name = String(decoding: entry.contents, as: UTF8.self).lowercased()
            guard name.hasPrefix("*.") else { return name == host }
            return host.firstIndex(of: ".").map { host[$0...] == name.dropFirst() } ?? false
        }
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to a server, and the check of its name.
    ///
    /// - Parameter checksName: false where the certificate is only looked at.
    func addTLS(_ tls: NIOSSLContext, to server: WebSocketURL, checksName: Bool = true) throws {
        // The server's name cannot be an address; NIOSSL verifies that by the connection's own.
        let name = server.address == nil ? server.host : nil
        try addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
        if let name, checksName { try addHandler(ServerNameHandler(name)) }
    }
}
