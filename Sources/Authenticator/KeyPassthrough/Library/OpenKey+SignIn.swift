internal import COptionalLibraries
internal import CTAP
internal import Cryptography
internal import Encodings

extension LibraryKey {
    package func assertions(_ signIn: KeySignIn) async throws(KeyFailure) -> [KeyAssertion] {
        try await perform { (key) throws(KeyFailure) in try key.assertions(signIn) }
    }
}

extension OpenKey {
    func assertions(_ signIn: KeySignIn) throws(KeyFailure) -> [KeyAssertion] {
        var assertion = fido_assert_new()
        defer { fido_assert_free(&assertion) }
        guard let assert = assertion else { throw .fault("out of memory") }
        let hash = signIn.clientDataHash
        try check(fido_assert_set_clientdata_hash(assert, hash, hash.count))
        try check(fido_assert_set_rp(assert, signIn.rpID))
        for id in signIn.allowed { try check(fido_assert_allow_cred(assert, id, id.count)) }
        if !signIn.userPresence { try check(fido_assert_set_up(assert, FIDO_OPT_FALSE)) }
        if let salts = signIn.salts {
            let salts = salts.first + (salts.second ?? [])
            try check(fido_assert_set_extensions(assert, FIDO_EXT_HMAC_SECRET))
            try check(fido_assert_set_hmac_salt(assert, salts, salts.count))
        }
        if case .builtIn = signIn.verification { try check(fido_assert_set_uv(assert, FIDO_OPT_TRUE)) }
        try check(signIn.verification.withPIN { fido_dev_get_assert(device, assert, $0) })

        var found: [KeyAssertion] = []
        for index in 0..<fido_assert_count(assert) { found.append(try Self.assertion(assert, index)) }
        return found
    }

    private static func assertion(_ assert: OpaquePointer, _ index: Int) throws(KeyFailure) -> KeyAssertion {
        // As CBOR, a byte string: the signed bytes are inside.
        let wrapped = bytes(fido_assert_authdata_ptr(assert, index), fido_assert_authdata_len(assert, index))
        guard let data = (try? CBORValue.decodeLenient(wrapped.span))?.bytesValue else {
            throw .fault("an assertion without authenticator data")
        }
        let userID = bytes(fido_assert_user_id_ptr(assert, index), fido_assert_user_id_len(assert, index))
        return KeyAssertion(
            credentialID: bytes(fido_assert_id_ptr(assert, index), fido_assert_id_len(assert, index)),
            authenticatorData: data,
            signature: bytes(fido_assert_sig_ptr(assert, index), fido_assert_sig_len(assert, index)),
            user: userID.isEmpty
                ? nil
                : .init(
                    id: userID, name: text(fido_assert_user_name(assert, index)),
                    displayName: text(fido_assert_user_display_name(assert, index))),
            secrets: try secrets(assert, index))
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

    private static func secrets(_ assert: OpaquePointer, _ index: Int) throws(KeyFailure) -> PRFValues? {
        var both = SecretArray(
            bytes(fido_assert_hmac_secret_ptr(assert, index), fido_assert_hmac_secret_len(assert, index)))
        guard both.count > 0 else { return nil }
        let first = Array(both.bytes.prefix(PRFValues.byteCount))
        let second = Array(both.bytes.dropFirst(PRFValues.byteCount))
        guard let values = try? PRFValues(first: first, second: second.isEmpty ? nil : second) else {
            throw .fault("values of hmac-secret of another length")
        }
        return values
    }
}
