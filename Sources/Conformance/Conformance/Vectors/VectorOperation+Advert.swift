internal import Cryptography
internal import Encodings
internal import HybridProtocol

// The way to the tunnel: its domain and URLs, keys, and the advert. Articles TunnelDomains, TunnelServiceProtocol,
// KeyDerivation and Advert of HybridProtocol.

extension VectorOperation {
    static let tunnels = [
        VectorOperation("domain.name", "tunnel-domain") { input in
            ["domain": .string(try TunnelDomain(try input.integer("id")).host())]
        },
        VectorOperation("tunnel.new-url", "tunnel-domain") { input in
            let service = try service(input)
            return ["url": .string(TunnelURL.new(try TunnelID(try input.bytes("tunnel_id")), at: service).text)]
        },
        VectorOperation("tunnel.connect-url", "tunnel-domain") { input in
            let service = try service(input)
            let routingID = try RoutingID(try input.bytes("routing_id"))
            let tunnelID = try TunnelID(try input.bytes("tunnel_id"))
            return ["url": .string(TunnelURL.connect(tunnelID, routingID: routingID, at: service).text)]
        },
        VectorOperation("routing-id.parse", "tunnel-domain") { input in
            ["routing_id": .hex(try RoutingID(hex: try input.text("text")).bytes)]
        },
    ]

    static let keys = [
        VectorOperation("key.derive", "key-schedule") { input in
            guard let purpose = KeySchedule.Purpose(rawValue: try input.integer("purpose")) else {
                throw input.mistyped("purpose", "a purpose")
            }
            let (secret, salt) = (try input.bytes("secret"), try input.bytes("salt"))
            let byteCount: Int = try input.integer("length")
            guard 1...HKDFSHA256.maximumByteCount ~= byteCount else {
                throw HybridProtocolError(.wrongLength, reason: "HKDF gives no \(byteCount) bytes")
            }
            let output = KeySchedule.derive(purpose, from: secret.span, salt: salt.span, byteCount: byteCount)
            return ["output": .hex(output.copiedBytes)]
        }
    ]

    static let adverts = [
        VectorOperation("advert.seal", "advert") { input in
            var key = try advertKey(input)
            let plaintext = try AdvertPlaintext(input.bytes("plaintext"))
            return ["advert": .hex(try key.seal(plaintext))]
        },
        VectorOperation("advert.open", "advert") { input in
            var key = try advertKey(input)
            let serviceData = try input.bytes("advert")
            let advert = try key.open(serviceData.span)
            var fields = fields(of: advert.plaintext)
            fields["psm"] = psm(of: advert.suffix)
            return fields
        },
        VectorOperation("advert.open-linked", "advert") { input in
            var key = try advertKey(input)
            let serviceData = try input.bytes("advert")
            return ["plaintext": .hex(try key.openLinked(serviceData.span).bytes)]
        },
        VectorOperation("advert.linked-plaintext", "advert") { input in
            ["plaintext": .hex(try LinkedAdvertPlaintext(random: try input.bytes("random")).bytes)]
        },
        VectorOperation("advert.parse", "advert") { input in
            try fields(of: AdvertPlaintext(input.bytes("plaintext")))
        },
        VectorOperation("advert.suffix", "advert") { input in
            let suffix = try input.bytes("suffix")
            return ["psm": psm(of: AdvertSuffix(suffix.span))]
        },
    ]

    private static func advertKey(_ input: CaseFields) throws -> AdvertKey {
        let eidKey = try input.bytes("eid_key")
        return try AdvertKey(eidKey: eidKey.span)
    }

    static func service(_ input: CaseFields) throws -> TunnelURL.Service {
        try TunnelURL.Service(TunnelDomain(input.integer("domain_id")))
    }

    private static func fields(of plaintext: AdvertPlaintext) -> CaseFields {
        [
            "plaintext": .hex(plaintext.bytes),
            "nonce": .hex(plaintext.nonce),
            "routing_id": .hex(plaintext.routingID.bytes),
            "domain_id": .integer(Int64(plaintext.domain.number)),
            "domain": .string(plaintext.domain.host()),
        ]
    }

    private static func psm(of suffix: AdvertSuffix) -> JSONValue {
        suffix.psm.map { .integer(Int64($0)) } ?? .null
    }
}
