internal import COptionalLibraries

/// libfido2, which is loaded when it is first asked for.
enum FIDO2Library {
    /// The reason why this machine has none that can be used.
    private static let fault = load_fido2().map { String(cString: $0) }

    /// Loads the library, and prepares it for this thread: it keeps its flags for each thread.
    ///
    /// - Throws: `noLibrary`.
    static func load() throws(KeyFailure) {
        if let fault { throw .noLibrary(fault) }
        fido_init(FIDO_DISABLE_U2F_FALLBACK)
    }
}
