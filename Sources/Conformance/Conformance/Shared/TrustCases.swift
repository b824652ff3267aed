internal import Cryptography

/// Cases of a tunnel service whose certificate must not be trusted: the same for authenticators and clients.
///
/// A peer passes if nothing of the tunnel's protocol comes from it.
enum TrustCases {
    static func all<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        let group = CaseGroup<Context>(role: role, name: "trust", rule: "HT-TUN-91")
        return faults.map { name, fault, certificate, rule in
            group.refuses(name, "not use a tunnel service whose certificate \(certificate)", rule: rule) {
                context in
                guard let identity = context.identity else { throw NotApplicable("the connection has no TLS") }
                guard let faulty = identity.faulty[fault] else {
                    throw NotApplicable("the service's certificate was given, and the runner can sign no others")
                }
                context.service.present(faulty)
                let connection: WireConnection
                do { connection = try await context.atConnection() } catch let deviation as Deviation {
                    throw UnexplainedEnd("it did not connect to the tunnel service: \(deviation.reason)")
                }
                try await context.sendsNothing(connection, to: "a tunnel service whose certificate \(certificate)")
            }
        }
    }

    private static let faults: [(name: String, fault: CertificateFault, certificate: String, rule: String)] = [
        ("other-name", .otherName, "is for another name", "HT-TUN-90"),
        ("unknown-authority", .unknownAuthority, "was signed by an unknown authority", "HT-TUN-91"),
        ("self-signed", .selfSigned, "is self-signed", "HT-TUN-91"),
        ("incomplete-chain", .incompleteChain, "was signed by a missing intermediate", "HT-TUN-91"),
        ("expired", .expired, "expired yesterday", "HT-TUN-92"),
        ("not-yet-valid", .notYetValid, "is valid from tomorrow", "HT-TUN-92"),
        ("client-purpose", .clientPurpose, "is for clients alone", "HT-TUN-93"),
        ("other-purpose", .otherPurpose, "is for signing code alone", "HT-TUN-93"),
    ]
}

extension TunnelTestContext {
    /// Demands that nothing comes over a connection but TLS, nor over others that the command makes instead.
    fileprivate func sendsNothing(_ first: WireConnection, to whom: String) async throws {
        var connections = [first]
        let pause = Duration.milliseconds(10)
        while let connection = connections.popLast() {
            do {
                let byte = try await peer.unlessTimedOut { try await connection.take(1) }
                guard byte == nil else { throw Deviation("it sends its request to \(whom)") }
            } catch is WireConnection.Ended {
                guard connection.hasReceived else {
                    throw UnexplainedEnd("it ended the connection before the TLS handshake")
                }
            }
            for _ in 0..<100 where connections.isEmpty && !peer.hasEnded {
                try await Task.sleep(for: pause)
                connections = service.takeWaiting()
            }
        }
        if peer.hasEnded { try await peer.failed() }
    }
}
