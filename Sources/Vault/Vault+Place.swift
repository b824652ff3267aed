internal import Glibc

extension Vault {
    private static let placeInDataDirectory = "/hybrid/passkeys.vault"
    private static let dataDirectoryInHome = "/.local/share"

    /// `$XDG_DATA_HOME/hybrid/passkeys.vault`, with `~/.local/share` for a variable that is not set or no absolute path (XDG Base
    /// Directory Specification 0.8).
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    /// - Throws: ``VaultError`` `no-directory`.
    public static func defaultPath(environment: [String: String]? = nil) throws(VaultError) -> String {
        func variable(_ name: String) -> String? {
            if let environment { environment[name] } else { getenv(name).map { String(cString: $0) } }
        }
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + placeInDataDirectory }
        guard let home = variable("HOME"), home.hasPrefix("/") else {
            throw VaultError(.noDirectory, reason: "neither XDG_DATA_HOME nor HOME is set")
        }
        return home + dataDirectoryInHome + placeInDataDirectory
    }
}
