internal import COptionalLibraries
package import CTAP
internal import Encodings

extension LibraryKey {
    package func makeCredential(
        _ registration: KeyRegistration
    ) async throws(KeyFailure) -> MakeCredentialResponse {
        try await perform { (key) throws(KeyFailure) in try key.makeCredential(registration) }
    }
}

extension OpenKey {
    func makeCredential(_ registration: KeyRegistration) throws(KeyFailure) -> MakeCredentialResponse {
        var credential = fido_cred_new()
        defer { fido_cred_free(&credential) }
        guard let cred = credential else { throw .fault("out of memory") }
        let hash = registration.clientDataHash
        let user = registration.user
        try check(fido_cred_set_type(cred, Int32(clamping: registration.algorithm.rawValue)))
        try check(fido_cred_set_clientdata_hash(cred, hash, hash.count))
        try check(fido_cred_set_rp(cred, registration.rp.id, registration.rp.name))
        try check(fido_cred_set_user(cred, user.id, user.id.count, user.name, user.displayName, nil))
        for id in registration.excluded { try check(fido_cred_exclude(cred, id, id.count)) }
        if registration.isDiscoverable { try check(fido_cred_set_rk(cred, FIDO_OPT_TRUE)) }
        if registration.hmacSecret { try check(fido_cred_set_extensions(cred, FIDO_EXT_HMAC_SECRET)) }
        if let protection = registration.protection {
            try check(fido_cred_set_prot(cred, Int32(protection.rawValue)))
        }
        if case .builtIn = registration.verification { try check(fido_cred_set_uv(cred, FIDO_OPT_TRUE)) }
        try check(registration.verification.withPIN { fido_dev_make_cred(device, cred, $0) })

        let statement = Self.bytes(fido_cred_attstmt_ptr(cred), fido_cred_attstmt_len(cred))
        guard let format = fido_cred_fmt(cred) else { throw .fault("an attestation without a format") }
        return MakeCredentialResponse(
            format: String(cString: format),
            authenticatorData: Self.bytes(fido_cred_authdata_raw_ptr(cred), fido_cred_authdata_raw_len(cred)),
            attestationStatement: try Self.map(statement))
    }

    private static func map(_ bytes: [UInt8]) throws(KeyFailure) -> CBORMap {
        guard !bytes.isEmpty else { return [:] }
        guard let map = (try? CBORValue.decodeLenient(bytes.span))?.mapValue else {
            throw .fault("an attestation statement that is not a map")
        }
        return map
    }
}

extension KeyVerification {
    /// Calls the library with the PIN, or without one.
    func withPIN(_ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
        if case .pin(let pin) = self { pin.withCString { body($0) } } else { body(nil) }
    }
}
