package import LinuxSupport

/// Method of user verification. The first is the best.
package enum VerificationMethod: String, Sendable, CaseIterable {
    case fprintd, polkit, passphrase

    /// The method in words.
    package var text: Sentence {
        switch self {
        case .fprintd: "your finger"
        case .polkit: "the desktop's dialogue"
        case .passphrase: "the vault's passphrase"
        }
    }
}
