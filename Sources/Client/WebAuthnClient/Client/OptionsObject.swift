internal import CTAP
internal import Encodings

/// An object of a site's options, which is read as Web IDL has it: members that are not known are ignored, and those
/// that are have their type. Source: WebAuthn Level 3 sections 5.1.8 and 5.1.9.
struct OptionsObject {
    /// The object itself.
    let value: JSONValue
    private let path: String

    /// Reads the whole of the options.
    ///
    /// - Throws: `TypeError`.
    init(parsing json: String) throws(WebAuthnClientError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: json)
        } catch {
            throw WebAuthnClientError(.type, reason: "the options are not JSON: \(error.reason)", place: error.place)
        }
        try self.init(value, "the options")
    }

    private init(_ value: JSONValue, _ path: String) throws(WebAuthnClientError) {
        guard value.objectValue != nil else { throw Self.wrong(path, "an object") }
        self.value = value
        self.path = path
    }

    /// A member that may be missing, or null.
    private func member<Value>(
        _ name: String, _ kind: String, _ read: (JSONValue) -> Value?
    ) throws(WebAuthnClientError) -> Value? {
        guard let member = value[name], member != .null else { return nil }
        guard let read = read(member) else { throw Self.wrong(name, kind) }
        return read
    }

    func string(_ name: String) throws(WebAuthnClientError) -> String? {
        try member(name, "a string", \.stringValue)
    }

    func bool(_ name: String) throws(WebAuthnClientError) -> Bool? {
        try member(name, "true or false") { value in if case .bool(let bool) = value { bool } else { nil } }
    }

    func integer(_ name: String) throws(WebAuthnClientError) -> Int64? {
        try member(name, "an integer") { value in
            if case .number(let number) = value { Int64(number.text) } else { nil }
        }
    }

    func bytes(_ name: String) throws(WebAuthnClientError) -> [UInt8]? {
        guard let text = try string(name) else { return nil }
        return try Self.bytes(text, name)
    }

    func object(_ name: String) throws(WebAuthnClientError) -> OptionsObject? {
        guard let value = try member(name, "an object", \.self) else { return nil }
        return try OptionsObject(value, name)
    }

    func objects(_ name: String) throws(WebAuthnClientError) -> [OptionsObject]? {
        guard let elements = try member(name, "an array", \.arrayValue) else { return nil }
        var objects: [OptionsObject] = []
        for element in elements { objects.append(try OptionsObject(element, "an element of \(name)")) }
        return objects
    }

    func strings(_ name: String) throws(WebAuthnClientError) -> [String] {
        var strings: [String] = []
        for element in try member(name, "an array", \.arrayValue) ?? [] {
            guard let string = element.stringValue else { throw Self.wrong("an element of \(name)", "a string") }
            strings.append(string)
        }
        return strings
    }

    /// The members whose names are credential IDs.
    func members() throws(WebAuthnClientError) -> [(id: [UInt8], value: OptionsObject)] {
        var members: [(id: [UInt8], value: OptionsObject)] = []
        for member in value.objectValue ?? [] {
            guard !member.name.isEmpty, let id = Base64URL.decode(member.name) else {
                throw WebAuthnClientError(.syntax, reason: "a name in \(path) is not a credential ID in base64url")
            }
            members.append((id, try OptionsObject(member.value, "a member of \(path)")))
        }
        return members
    }

    /// A member that must be there.
    func required<Value>(
        _ name: String, _ read: (String) throws(WebAuthnClientError) -> Value?
    ) throws(WebAuthnClientError) -> Value {
        guard let value = try read(name) else {
            throw WebAuthnClientError(.type, reason: "\(path): the member \(name) is missing")
        }
        return value
    }

    /// A member that is one of some words. Another word counts as none, as unknown values of an enumeration do.
    func word<Value: RawRepresentable<String>>(_ name: String) throws(WebAuthnClientError) -> Value? {
        try string(name).flatMap(Value.init(rawValue:))
    }

    private static func bytes(_ text: String, _ name: String) throws(WebAuthnClientError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else {
            throw WebAuthnClientError(.encoding, reason: "\(name) is not base64url")
        }
        return bytes
    }

    private static func wrong(_ name: String, _ kind: String) -> WebAuthnClientError {
        WebAuthnClientError(.type, reason: "\(name) is not \(kind)")
    }
}

extension OptionsObject {
    /// The time for the ceremony, within ``WebAuthnClient/timeouts``.
    func timeout() throws(WebAuthnClientError) -> Duration {
        guard let milliseconds = try integer("timeout") else { return WebAuthnClient.standardTimeout }
        let limits = WebAuthnClient.timeouts
        return min(max(.milliseconds(milliseconds), limits.lowerBound), limits.upperBound)
    }

    /// A list of credentials: those of the one type that there is, without transports, which some phones do not accept
    /// (HT-CTAP-24).
    func descriptors(_ name: String) throws(WebAuthnClientError) -> [PublicKeyCredentialDescriptor] {
        var descriptors: [PublicKeyCredentialDescriptor] = []
        for object in try objects(name) ?? [] {
            let id = try object.required("id", object.bytes)
            guard try object.required("type", object.string) == PublicKeyCredentialDescriptor.publicKey else {
                continue
            }
            guard (1...AttestedCredential.maxCredentialIDByteCount).contains(id.count) else {
                throw WebAuthnClientError(
                    .type, reason: "an id in \(name) needs 1 to \(AttestedCredential.maxCredentialIDByteCount) bytes")
            }
            descriptors.append(PublicKeyCredentialDescriptor(id: id))
        }
        return descriptors
    }

    /// The requirement for user verification. Source: WebAuthn Level 3 section 5.8.6.
    func userVerification() throws(WebAuthnClientError) -> RelyingParty.UserVerification {
        try word("userVerification") ?? .preferred
    }
}

extension RelyingParty.UserVerification {
    /// The option `uv` for an authenticator: also where the site does not want it and the authenticator refuses
    /// otherwise. Source: WebAuthn Level 3 sections 5.1.3 step 21 and 5.1.4.2; CTAP 2.2 section 6.4, `alwaysUv` and
    /// `makeCredUvNotRqd`.
    ///
    /// - Parameter creates: true for a new passkey.
    /// - Throws: if it is required and the authenticator cannot: `ConstraintError` for a new passkey, as the standard
    ///   has it, and `NotAllowedError` otherwise.
    func option(_ info: GetInfoResponse, creates: Bool = false) throws(WebAuthnClientError) -> Bool? {
        let isThere = info.options["uv"] == true
        guard isThere || self != .required else {
            throw WebAuthnClientError(
                creates ? .constraint : .notAllowed,
                reason: "the site requires user verification, and the authenticator cannot verify its user")
        }
        let isAlways = info.options["alwaysUv"] == true || creates && info.options["makeCredUvNotRqd"] != true
        return isThere && (isAlways || self != .discouraged) ? true : nil
    }
}
