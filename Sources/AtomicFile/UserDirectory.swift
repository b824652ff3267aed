internal import Glibc

/// A directory of the user's in which programs keep files (XDG Base Directory Specification 0.8).
public enum UserDirectory: Sendable {
    /// What a program cannot make again: `$XDG_DATA_HOME`, otherwise `~/.local/share`.
    case data
    /// What it can do without: `$XDG_STATE_HOME`, otherwise `~/.local/state`.
    case state

    /// The variable that names it.
    public var variable: String {
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
    public func path(environment: [String: String]? = nil) -> String? {
        func value(_ name: String) -> String? {
            if let environment { environment[name] } else { getenv(name).map { String(cString: $0) } }
        }
        if let directory = value(variable), directory.hasPrefix("/") { return directory }
        guard let home = value("HOME"), home.hasPrefix("/") else { return nil }
        return home + placeInHome
    }
}
