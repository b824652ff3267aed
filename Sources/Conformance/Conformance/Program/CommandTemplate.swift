/// The command that is run once a case, with places in which each case fills in its own values.
public struct CommandTemplate: Sendable {
    /// The program and its arguments.
    public let words: [String]
    /// True if the URL of a QR code goes to standard input, instead of into the arguments.
    public let urlOnStandardInput: Bool
    /// The task of a shim: then the command speaks <doc:ShimProtocol>. Nil for a whole program.
    public let shim: ShimTask?

    /// The values that a case fills in.
    struct Values: Sendable {
        /// The text of the QR code, for an authenticator.
        var url: String?
        /// The URL of the tunnel service: `wss://localhost:PORT`.
        let tunnel: String
        /// The radio, as `hybrid` takes it: `udp:127.0.0.1:PORT`.
        let radio: String
        /// The file with the tunnel service's certificate, PEM.
        let authority: String
        /// An empty directory of the case's own.
        let directory: String
        /// The port of the tunnel service.
        var port = 0
    }

    /// Takes the words of a command.
    ///
    /// - Parameters:
    ///   - words: the program, sought in PATH, and its arguments. `{url}`, `{tunnel}`, `{radio}`, `{ca}` and `{dir}` in
    ///     them are replaced.
    ///   - urlOnStandardInput: true if an authenticator reads the URL from standard input.
    public init(_ words: [String], urlOnStandardInput: Bool = false) {
        self.words = words
        self.urlOnStandardInput = urlOnStandardInput
        shim = nil
    }

    /// Takes the words of a shim's command.
    ///
    /// - Parameters:
    ///   - words: the program, sought in PATH, and its arguments; `{dir}` in them is replaced.
    ///   - task: the part that it plays.
    public init(shim words: [String], _ task: ShimTask) {
        self.words = words
        urlOnStandardInput = true
        shim = task
    }

    /// Takes a command as a line for the shell.
    ///
    /// - Parameters:
    ///   - line: a line for `sh -c`; with the same places as the words of a command. A URL that has no place comes
    ///     last.
    ///   - urlOnStandardInput: as for ``init(_:urlOnStandardInput:)``.
    ///   - takesURL: true if it takes the text of a QR code.
    public init(line: String, urlOnStandardInput: Bool = false, takesURL: Bool = false) {
        let isAppended = takesURL && !urlOnStandardInput && !line.contains(Self.urlPlace)
        words = ["sh", "-c", isAppended ? "\(line) \(Self.urlPlace)" : line]
        self.urlOnStandardInput = urlOnStandardInput
        shim = nil
    }

    private static let urlPlace = "{url}"

    /// The words of one case. A URL that has no place in them comes last, unless it goes to standard input.
    func filled(_ values: Values) -> [String] {
        let replacements = [
            ("{tunnel}", values.tunnel), ("{radio}", values.radio), ("{ca}", values.authority),
            ("{dir}", values.directory),
        ]
        var filled = words.map { word in
            replacements.reduce(word) { $0.replacing($1.0, with: $1.1) }
        }
        guard let url = values.url, !urlOnStandardInput else { return filled }
        if words.contains(where: { $0.contains(Self.urlPlace) }) {
            filled = filled.map { $0.replacing(Self.urlPlace, with: url) }
        } else {
            filled.append(url)
        }
        return filled
    }
}
