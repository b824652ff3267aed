/// A directory of the user's in which programs keep files (XDG Base Directory Specification 0.8).
package enum UserDirectory: Sendable {
    /// For data that a program cannot make again: `$XDG_DATA_HOME`, otherwise `~/.local/share`.
    case data
    /// For data that it can do without: `$XDG_STATE_HOME`, otherwise `~/.local/state`.
    case state

    /// The variable that names it.
    package var variable: String {
        switch self {
        case .data: "XDG_DATA_HOME"
        case .state: "XDG_STATE_HOME"
        }
    }

    private var placeInHome: String {
        switch self {
        case .data: "/.local/share"
        case .state: "/.local/state"
        }
    }

    /// The directory's path; nil if neither its variable nor `HOME` is set to an absolute path.
    ///
    /// - Parameter environment: the environment variables; the process's own if nil.
    package func path(environment: [String: String]? = nil) -> String? {
        func value(_ name: String) -> String? {
            if let environment { environment[name] } else { ProcessEnvironment.value(name) }
        }
        if let directory = value(variable), directory.hasPrefix("/") { return directory }
        guard let home = value("HOME"), home.hasPrefix("/") else { return nil }
        return home + placeInHome
    }
}
