internal import LinuxSupport

extension Vault {
    private static let placeInDataDirectory = "/hybrid/passkeys.vault"

    /// `$XDG_DATA_HOME/hybrid/passkeys.vault`, with `~/.local/share` for a variable that is not set or no absolute path
    /// (XDG Base Directory Specification 0.8).
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    /// - Throws: ``VaultError`` `no-directory`.
    public static func defaultPath(environment: [String: String]? = nil) throws(VaultError) -> String {
        guard let data = UserDirectory.data.path(environment: environment) else {
            throw VaultError(.noDirectory, reason: "neither XDG_DATA_HOME nor HOME is set")
        }
        return data + placeInDataDirectory
    }
}
