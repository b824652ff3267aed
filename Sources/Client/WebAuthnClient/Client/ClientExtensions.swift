internal import CTAP
internal import Encodings

/// Extensions of a new passkey, as a browser maps them to an authenticator's. Unknown ones are ignored. Source:
/// WebAuthn Level 3 section 10.1; CTAP 2.2 section 12.1 (credProtect) and 12.7 (hmac-secret).
struct CreationExtensions: Sendable {
    private let credProps: Bool
    private let prf: PRFInputs?
    private let asksForPRF: Bool
    private let hmacCreateSecret: Bool
    private let largeBlob: LargeBlobExtension.Support?
    private let protection: CredentialProtection?
    private let enforcesProtection: Bool

    private static let policies: [String: CredentialProtection] = [
        "userVerificationOptional": .verificationOptional,
        "userVerificationOptionalWithCredentialIDList": .verificationOptionalIfNamed,
        "userVerificationRequired": .verificationRequired,
    ]

    init(_ object: OptionsObject?) throws(WebAuthnClientError) {
        credProps = try object?.bool("credProps") ?? false
        hmacCreateSecret = try object?.bool("hmacCreateSecret") ?? false
        let prf = try object?.object(ExtensionIdentifier.prf)
        guard try prf?.object("evalByCredential") == nil else {
            throw WebAuthnClientError(.notSupported, reason: "prf.evalByCredential is for sign-ins")
        }
        asksForPRF = prf != nil
        self.prf = try prf?.prfInputs("eval")
        let blob = try object?.object(ExtensionIdentifier.largeBlob)
        guard try blob?.bool("read") == nil, try blob?.bytes("write") == nil else {
            throw WebAuthnClientError(.notSupported, reason: "largeBlob.read and largeBlob.write are for sign-ins")
        }
        largeBlob = try blob.map { blob throws(WebAuthnClientError) in try blob.word("support") ?? .preferred }
        protection = try object?.string("credentialProtectionPolicy").map { name throws(WebAuthnClientError) in
            guard let policy = Self.policies[name] else {
                throw WebAuthnClientError(.notSupported, reason: "credentialProtectionPolicy is not one of the three")
            }
            return policy
        }
        enforcesProtection = try object?.bool("enforceCredentialProtectionPolicy") ?? false
    }

    /// The inputs for an authenticator.
    ///
    /// - Parameter keeps: true for a discoverable passkey. Then it has level 2 at least, as Chromium has it.
    /// - Throws: `NotAllowedError` for an extension that a site requires and the authenticator has not.
    func inputs(_ info: GetInfoResponse, keeps: Bool) throws(WebAuthnClientError) -> CBORMap {
        let known = Set(info.extensions)
        var inputs = CBORMap()
        if asksForPRF, known.contains(ExtensionIdentifier.prf) {
            inputs[.text(ExtensionIdentifier.prf)] = try PRFExtensionInput(prf, [:]).value
        }
        let wantsSecret = hmacCreateSecret || asksForPRF && !known.contains(ExtensionIdentifier.prf)
        if wantsSecret, known.contains(ExtensionIdentifier.hmacSecret) {
            inputs[.text(ExtensionIdentifier.hmacSecret)] = true
        }
        if let largeBlob {
            guard known.contains(ExtensionIdentifier.largeBlob) || largeBlob != .required else {
                throw Self.missing("largeBlob")
            }
            if known.contains(ExtensionIdentifier.largeBlob) {
                inputs[.text(ExtensionIdentifier.largeBlob)] = largeBlob.value
            }
        }
        if let protection = protection ?? (keeps ? .verificationOptionalIfNamed : nil) {
            let isKnown = known.contains(ExtensionIdentifier.credProtect)
            guard isKnown || !enforcesProtection || protection == .verificationOptional else {
                throw Self.missing("credProtect")
            }
            if isKnown { inputs[.text(ExtensionIdentifier.credProtect)] = protection.value }
        }
        return inputs
    }

    private static func missing(_ name: String) -> WebAuthnClientError {
        WebAuthnClientError(
            .notAllowed, reason: "the site requires the extension \(name), which the authenticator lacks")
    }

    /// The results for a page.
    func results(
        _ answer: MakeCredentialResponse, _ data: AuthenticatorData, _ request: MakeCredentialRequest
    ) -> [JSONValue.Member] {
        var results: [JSONValue.Member] = []
        if credProps {
            results.append(.init("credProps", ["rk": .bool(request.options.residentKey == true)]))
        }
        let hasSecret = data.extensions?[.text(ExtensionIdentifier.hmacSecret)]?.boolValue == true
        if hmacCreateSecret { results.append(.init("hmacCreateSecret", .bool(hasSecret))) }
        if asksForPRF {
            let output =
                PRFExtensionOutput(answer.unsignedExtensionOutputs) ?? PRFExtensionOutput(enabled: hasSecret)
            results.append(.init(ExtensionIdentifier.prf, .result(output)))
        }
        if largeBlob != nil {
            let isSupported = LargeBlobExtension.Supported(answer.unsignedExtensionOutputs)?.isSupported == true
            results.append(.init(ExtensionIdentifier.largeBlob, ["supported": .bool(isSupported)]))
        }
        return results
    }
}

/// Extensions of a sign-in, as a browser maps them to an authenticator's.
struct AssertionExtensions: Sendable {
    private let prf: PRFInputs?
    private let prfByCredential: [[UInt8]: PRFInputs]
    private let asksForPRF: Bool
    private let largeBlob: LargeBlob?

    private enum LargeBlob: Sendable {
        case read
        case write([UInt8])
    }

    /// The largest contents that are unpacked: many times the contents of a message.
    private static let maxBlobByteCount = 1 << 20

    init(_ object: OptionsObject?, allow: [[UInt8]]) throws(WebAuthnClientError) {
        guard try object?.bool("credProps") == nil else {
            throw WebAuthnClientError(.notSupported, reason: "credProps is for new passkeys")
        }
        let prf = try object?.object(ExtensionIdentifier.prf)
        asksForPRF = prf != nil
        self.prf = try prf?.prfInputs("eval")
        var byCredential: [[UInt8]: PRFInputs] = [:]
        for (id, inputs) in try prf?.object("evalByCredential")?.members() ?? [] {
            guard !allow.isEmpty else {
                throw WebAuthnClientError(.notSupported, reason: "prf.evalByCredential needs allowCredentials")
            }
            guard allow.contains(id) else {
                throw WebAuthnClientError(
                    .syntax, reason: "prf.evalByCredential names a passkey that is not in allowCredentials")
            }
            byCredential[id] = try PRFInputs(inputs)
        }
        prfByCredential = byCredential
        largeBlob = try Self.largeBlob(object?.object(ExtensionIdentifier.largeBlob), allow: allow)
    }

    private static func largeBlob(
        _ object: OptionsObject?, allow: [[UInt8]]
    ) throws(WebAuthnClientError) -> LargeBlob? {
        guard let object else { return nil }
        let (reads, write) = (try object.bool("read"), try object.bytes("write"))
        guard try object.string("support") == nil, reads == nil || write == nil else {
            throw WebAuthnClientError(.notSupported, reason: "in a sign-in, largeBlob takes either read or write")
        }
        if let write {
            guard allow.count == 1 else {
                throw WebAuthnClientError(.notSupported, reason: "largeBlob.write needs one entry in allowCredentials")
            }
            return .write(write)
        }
        return reads == true ? .read : nil
    }

    /// True if hmac-secret alone gives the function's values.
    func needsHMACSecret(_ info: GetInfoResponse) -> Bool {
        guard asksForPRF, !info.extensions.contains(ExtensionIdentifier.prf) else { return false }
        return info.extensions.contains(ExtensionIdentifier.hmacSecret)
            && info.pinUvAuthProtocols.contains(KeyAgreement.pinUvAuthProtocol)
    }

    /// The inputs for an authenticator.
    func inputs(
        _ info: GetInfoResponse, _ secrets: ClientKeyAgreement?, allow: [[UInt8]]
    ) throws(WebAuthnClientError) -> CBORMap {
        var inputs = CBORMap()
        if asksForPRF {
            let input = try PRFExtensionInput(prf, prfByCredential)
            if info.extensions.contains(ExtensionIdentifier.prf) {
                inputs[.text(ExtensionIdentifier.prf)] = input.value
            } else if let secrets, let salts = allow.count == 1 ? input.salts(for: allow[0]) : input.eval {
                // The salts of one request are for whichever passkey answers.
                inputs[.text(ExtensionIdentifier.hmacSecret)] = try secrets.input(salts)
            }
        }
        if info.extensions.contains(ExtensionIdentifier.largeBlob) {
            switch largeBlob {
            case nil: break
            case .read: inputs[.text(ExtensionIdentifier.largeBlob)] = LargeBlobExtension.Access.read.value
            case .write(let contents):
                guard let compressed = Deflate.bare.compress(contents) else {
                    throw WebAuthnClientError(.unknown, reason: "there is no memory to compress largeBlob.write")
                }
                let access = LargeBlobExtension.Access.write(
                    .init(compressed: compressed, originalSize: UInt64(contents.count)))
                inputs[.text(ExtensionIdentifier.largeBlob)] = access.value
            }
        }
        return inputs
    }

    /// The results for a page.
    ///
    /// - Throws: `UnknownError` for an output that is none.
    func results(
        _ answer: GetAssertionResponse, _ data: AuthenticatorData, _ secrets: ClientKeyAgreement?
    ) throws(WebAuthnClientError) -> [JSONValue.Member] {
        var results: [JSONValue.Member] = []
        if asksForPRF {
            var output = PRFExtensionOutput(answer.unsignedExtensionOutputs)
            if let secrets, let encrypted = data.extensions?[.text(ExtensionIdentifier.hmacSecret)]?.bytesValue {
                output = PRFExtensionOutput(results: try secrets.values(encrypted))
            }
            // To a sign-in there are values or nothing (WebAuthn Level 3 section 10.1.4).
            results.append(.init(ExtensionIdentifier.prf, .result(PRFExtensionOutput(results: output?.results))))
        }
        switch (largeBlob, LargeBlobExtension.Outcome(answer.unsignedExtensionOutputs)) {
        case (.read, .contents(let contents)):
            let size = Int(exactly: contents.originalSize) ?? .max
            guard size <= Self.maxBlobByteCount,
                let blob = Deflate.bare.decompress(contents.compressed, limit: size), blob.count == size
            else { throw WebAuthnClientError(.unknown, reason: "the output of largeBlob cannot be unpacked") }
            results.append(.init(ExtensionIdentifier.largeBlob, ["blob": .base64URL(blob)]))
        case (.read, _): results.append(.init(ExtensionIdentifier.largeBlob, [:]))
        case (.write, .written(let written)):
            results.append(.init(ExtensionIdentifier.largeBlob, ["written": .bool(written)]))
        case (.write, _): results.append(.init(ExtensionIdentifier.largeBlob, ["written": false]))
        case (nil, _): break
        }
        return results
    }
}

extension OptionsObject {
    /// Inputs of prf under a name.
    fileprivate func prfInputs(_ name: String) throws(WebAuthnClientError) -> PRFInputs? {
        try object(name).map { object throws(WebAuthnClientError) in try PRFInputs(object) }
    }
}

extension PRFInputs {
    fileprivate init(_ object: OptionsObject) throws(WebAuthnClientError) {
        self.init(first: try object.required("first", object.bytes), second: try object.bytes("second"))
    }
}

extension PRFExtensionInput {
    fileprivate init(_ eval: PRFInputs?, _ byCredential: [[UInt8]: PRFInputs]) throws(WebAuthnClientError) {
        self = try reading { () throws(CTAPError) in
            var salts: [[UInt8]: PRFValues] = [:]
            for (id, inputs) in byCredential { salts[id] = try inputs.salts() }
            return PRFExtensionInput(
                eval: try eval.map { inputs throws(CTAPError) in try inputs.salts() }, evalByCredential: salts)
        }
    }
}
