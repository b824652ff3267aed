internal import JSON

/// The order in which files of vectors state what came out. It has no meaning; files are made byte for byte, so there is one.
enum FieldOrder {
    /// The names of all operations' outcomes: of any two that occur together, the first is written first.
    private static let names = [
        "tunnel_id", "seed", "type", "revision", "padded", "message", "frame", "signature", "map", "update", "output",
        "cbor", "digits", "bytes", "private_key", "contact_secret", "contact_id", "link_id", "url", "payload",
        "features",
        "get_info", "has_linking", "link_secret", "header", "messages", "rest", "public_key", "identity_private",
        "secret",
        "name", "eid_key", "known_domains", "timestamp", "plaintext", "advert", "nonce", "psk", "routing_id",
        "message_1",
        "message_2", "results", "domain_id", "domain", "psm", "handshake_hash", "client_to_authenticator_key",
        "authenticator_to_client_key", "linking", "hint", "link", "channels",
    ]

    private static let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }

    /// Names in this order; unknown ones behind the others, in alphabetical order.
    static func sorted(_ names: some Sequence<String>) -> [String] {
        names.sorted { (places[$0] ?? places.count, $0) < (places[$1] ?? places.count, $1) }
    }
}

extension JSON.JSONValue {
    /// A value whose objects have their members in the order of `model`, and new ones behind them in ``FieldOrder``.
    init(_ value: JSONValue, like model: Self? = nil) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .text(let value): self = .string(value)
        case .array(let values):
            let models = model?.arrayValue ?? []
            self = .array(values.enumerated().map { Self($1, like: models.indices.contains($0) ? models[$0] : nil) })
        case .object(let values):
            let known = (model?.objectValue ?? []).map(\.name).filter { values[$0] != nil }
            let names = known + FieldOrder.sorted(values.keys.filter { !known.contains($0) })
            self = .object(
                names.compactMap { name in values[name].map { Member(name, Self($0, like: model?[name])) } })
        }
    }
}

extension JSONValue {
    /// The same value without its order.
    ///
    /// - Throws: `malformedCase` for a number that is no integer of 64 bits.
    init(_ value: JSON.JSONValue) throws(ConformanceError) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .string(let value): self = .text(value)
        case .number(let number):
            guard let integer = Int64(number.text) else {
                throw ConformanceError(.malformedCase, reason: "\(number.text) is no integer of 64 bits")
            }
            self = .integer(integer)
        case .array(let values):
            var elements: [Self] = []
            for value in values { elements.append(try Self(value)) }
            self = .array(elements)
        case .object(let members):
            var fields: [String: Self] = [:]
            for member in members { fields[member.name] = try Self(member.value) }
            self = .object(fields)
        }
    }
}
