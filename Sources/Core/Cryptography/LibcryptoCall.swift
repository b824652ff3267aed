internal import COpenSSL

/// Ends the process if a call of libcrypto failed that can fail only without memory, or in a broken installation: as an
/// allocation without memory does.
///
/// No foreign byte leads here. Hashes, HMAC, HKDF and the random generator take bytes of every value and length, and
/// lengths that they do not take are the caller's constants; ``CryptographySelfTest`` has tried at the start that
/// libcrypto permits the algorithms.
func require(_ isDone: Bool, _ call: StaticString) {
    // No foreign byte leads here, for the reasons above.
    guard isDone else { fatalError("libcrypto's \(call) failed") }
}

/// The result of a call of libcrypto that fails in those cases only.
func require(_ result: OpaquePointer?, _ call: StaticString) -> OpaquePointer {
    // No foreign byte leads here: the calls fetch an algorithm or make a context, and take no bytes.
    guard let result else { fatalError("libcrypto's \(call) failed") }
    return result
}
