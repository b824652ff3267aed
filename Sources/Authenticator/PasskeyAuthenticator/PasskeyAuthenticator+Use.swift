internal import CTAP
internal import Cryptography

// Effects of a sign-in beside the signature: prf's values, largeBlob's contents, and the time.

extension PasskeyAuthenticator {
    /// Notes that a credential was used, and does what the extension largeBlob asks for.
    ///
    /// A store that cannot be written does not undo a sign-in: the observer is told, and a blob counts as not written.
    ///
    /// - Returns: the extension's output; nil if it asks for nothing, or for a blob that there is not.
    func use(
        _ credential: Credential, _ access: LargeBlobExtension.Access?
    ) async -> LargeBlobExtension.Outcome? {
        var used = credential
        used.lastUsed = now()
        var isAcceptable = false
        if case .write(let contents) = access,
            let blob = LargeBlob(compressed: contents.compressed, originalByteCount: contents.originalSize)
        {
            used.largeBlob = blob
            isAcceptable = true
        }
        let isKept = await keepUse(of: used)
        switch access {
        case nil: return nil
        case .write: return .written(isAcceptable && isKept)
        case .read:
            return credential.largeBlob.map {
                .contents(.init(compressed: $0.compressed, originalSize: $0.originalByteCount))
            }
        }
    }

    private func keepUse(of credential: Credential) async -> Bool {
        do throws(CredentialStoreError) {
            try await store.update(credential)
            return true
        } catch {
            observer(.useNotKept(error))
            return false
        }
    }
}

extension Credential {
    /// The values of the credential's function for a request's salts; nil if there are no salts for it, if it has no
    /// function, or if the user was not verified (``PRFSecret``).
    func results(
        of input: PRFExtensionInput?, _ approved: Approved
    ) throws -> PRFValues? {
        guard approved.isVerified, let prf, let salts = input?.salts(for: id) else { return nil }
        return try PRFValues(first: prf.evaluate(salts.first), second: salts.second.map(prf.evaluate))
    }
}
