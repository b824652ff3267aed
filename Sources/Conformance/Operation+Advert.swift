internal import Cryptography
internal import HybridProtocol

// The way to the tunnel: its domain and URLs (PROTOCOL.md 2, 5.1), keys (3), and the advert (4).

extension Operation {
    static let tunnels = [
        Operation("domain.name", "tunnel-domain") { input in
            ["domain": .text(try TunnelDomain(try input.integer("id")).host())]
        },
        Operation("tunnel.new-url", "tunnel-domain") { input in
            let service = try service(input)
            return ["url": .text(TunnelURL.new(try TunnelID(try input.bytes("tunnel_id")), at: service).text)]
        },
        Operation("tunnel.connect-url", "tunnel-domain") { input in
            let service = try service(input)
            let routingID = try RoutingID(try input.bytes("routing_id"))
            let tunnelID = try TunnelID(try input.bytes("tunnel_id"))
            return ["url": .text(TunnelURL.connect(tunnelID, routingID: routingID, at: service).text)]
        },
        Operation("routing-id.parse", "tunnel-domain") { input in
            ["routing_id": .hex(try RoutingID(hex: try input.text("text")).bytes)]
        },
    ]

    static let keys = [
        Operation("key.derive", "key-schedule") { input in
            guard let purpose = KeySchedule.Purpose(rawValue: try input.integer("purpose")) else {
                throw input.mistyped("purpose", "a purpose")
            }
            let (secret, salt) = (try input.bytes("secret"), try input.bytes("salt"))
            let output = try KeySchedule.derive(
                purpose, from: secret.span, salt: salt.span, byteCount: try input.integer("length"))
            return ["output": .hex(output.copiedBytes)]
        }
    ]

    static let adverts = [
        Operation("advert.seal", "advert") { input in
            var key = try advertKey(input)
            let plaintext = try AdvertPlaintext(input.bytes("plaintext"))
            return ["advert": .hex(try key.seal(plaintext))]
        },
        Operation("advert.open", "advert") { input in
            var key = try advertKey(input)
            let serviceData = try input.bytes("advert")
            let advert = try key.open(serviceData.span)
            var fields = try fields(of: advert.plaintext)
            fields["psm"] = psm(of: advert.suffix)
            return fields
        },
        Operation("advert.open-linked", "advert") { input in
            var key = try advertKey(input)
            let serviceData = try input.bytes("advert")
            return ["plaintext": .hex(try key.openLinked(serviceData.span).bytes)]
        },
        Operation("advert.linked-plaintext", "advert") { input in
            ["plaintext": .hex(try LinkedAdvertPlaintext(random: try input.bytes("random")).bytes)]
        },
        Operation("advert.parse", "advert") { input in
            try fields(of: AdvertPlaintext(input.bytes("plaintext")))
        },
        Operation("advert.suffix", "advert") { input in
            let suffix = try input.bytes("suffix")
            return ["psm": psm(of: AdvertSuffix(suffix.span))]
        },
    ]

    private static func advertKey(_ input: Fields) throws -> AdvertKey {
        let eidKey = try input.bytes("eid_key")
        return try AdvertKey(eidKey: eidKey.span)
    }

    static func service(_ input: Fields) throws -> TunnelURL.Service {
        try TunnelURL.Service(TunnelDomain(try input.integer("domain_id")))
    }

    private static func fields(of plaintext: AdvertPlaintext) throws -> [String: JSONValue] {
        [
            "plaintext": .hex(plaintext.bytes),
            "nonce": .hex(plaintext.nonce),
            "routing_id": .hex(plaintext.routingID.bytes),
            "domain_id": .integer(Int64(plaintext.domain.number)),
            "domain": .text(try plaintext.domain.host()),
        ]
    }

    private static func psm(of suffix: AdvertSuffix) -> JSONValue {
        suffix.psm.map { .integer(Int64($0)) } ?? .null
    }
}

extension SecretBytes {
    /// The bytes: a vector's secrets are secret from nobody.
    var copiedBytes: [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}
