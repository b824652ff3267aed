import ArgumentParser
import CommandLine
import Encodings
internal import HybridProtocol
import HybridTransport
import LinuxSupport

/// A command with options that can be configured.
protocol ConfigurableCommand: AsyncParsableCommand {
    /// The places of its settings: groups of options, or the command itself.
    static var configurable: [any ParsableArguments.Type] { get }
}

/// An option that can be configured: given by a variable `HYBRID_…`, or a line of a configuration file.
struct Setting: Sendable {
    /// The kind of its values.
    enum Kind {
        case text
        /// The path of a file, from the root or from `~/` on.
        case path
        /// Yes or no.
        case flag
    }

    /// The option's long name, without dashes.
    let option: String
    /// The groups of options and the commands that have the option. The first one checks values.
    let places: [any ParsableArguments.Type]
    let kind: Kind
    /// The value that holds otherwise, in words.
    let standard: Sentence
    /// Arguments beside which the configured value does not count: those that begin with one of these texts.
    let yieldsTo: [String]

    /// The name of the variable, and of the key in a file.
    var key: String { Self.prefix + option.uppercased().replacing("-", with: "_") }

    static let prefix = "HYBRID_"

    private init(
        _ option: String, of places: any ParsableArguments.Type..., kind: Kind = .text, standard: Sentence,
        yieldsTo: [String] = []
    ) {
        self.option = option
        self.places = places
        self.kind = kind
        self.standard = standard
        self.yieldsTo = yieldsTo
    }

    /// All of them. A setting comes after those that its `yieldsTo` looks at.
    static let all = [
        Self("tunnel", of: TunnelOptions.self, standard: "the tunnel domain's own service"),
        Self("tunnel-domain", of: TunnelDomainOption.self, standard: "0"),
        Self("ca", of: TunnelOptions.self, kind: .path, standard: "the system's authorities alone"),
        Self("proxy", of: TunnelOptions.self, standard: "that of https_proxy, and none for this machine"),
        Self("radio", of: RadioOption.self, AdaptersCommand.self, standard: "bluez"),
        Self("adapter", of: RadioOption.self, standard: "the first that is ready", yieldsTo: simulated),
        Self(
            "bluetooth-bus", of: RadioOption.self, AdaptersCommand.self, standard: "the system bus",
            yieldsTo: simulated),
        Self("channel", of: ChannelOption.self, standard: "websocket for a client, any for an authenticator"),
        Self("timeout", of: TimeLimitOption.self, standard: "120"),
        Self("qr", of: QROption.self, standard: "terminal"),
        Self("connect-ahead", of: QROption.self, kind: .flag, standard: "no"),
        Self(
            "window", of: WindowOption.self, VaultOptions.self, kind: .path,
            standard: "hybrid-window, of the package hybrid-desktop"),
        Self(
            "verify", of: VerificationOption.self, standard: "the first of fprintd, polkit, passphrase that is set up",
            yieldsTo: ["--yes", "--presence-only", "--security-key"]),
        Self(
            "vault", of: VaultOptions.self, ExaminationOptions.self, kind: .path,
            standard: "~/.local/share/hybrid/passkeys.vault",
            yieldsTo: ["--store", "--ephemeral", "--security-key"]),
        Self("keyring", of: NewVaultOption.self, kind: .flag, standard: "no", yieldsTo: ["--security-key"]),
        Self("link", of: AuthenticatorLinkOptions.self, standard: "ask", yieldsTo: ["--security-key"]),
        Self("device-name", of: AuthenticatorLinkOptions.self, standard: "the host name"),
        Self(
            "links", of: LinkedClientsOption.self, kind: .path, standard: "~/.local/share/hybrid/linked-clients"),
    ]

    private static let simulated = ["udp:", "--radio=udp:"]

    /// Options that weaken approval, or give secrets away: one that was set and forgotten would hold for every command.
    static let commandLineOnly = [
        "yes", "presence-only", "store", "ephemeral", "passphrase-file", "credential-handler", "no-passkeys",
        "allow-old", "from-link", "key-log",
    ]

    /// The keys of the options that stand on the command line only.
    static let forbiddenKeys = Set(commandLineOnly.map { prefix + $0.uppercased().replacing("-", with: "_") })

    /// The keys, each with its option.
    static var table: String {
        all.map { setting in
            let key = setting.key
            return "  \(key)\(String(repeating: " ", count: max(2, 24 - key.count)))--\(setting.option)"
        }.joined(separator: "\n")
    }

    /// True if the setting counts for a command.
    func isOption(of command: any ParsableCommand.Type) -> Bool {
        guard let command = command as? any ConfigurableCommand.Type else { return false }
        return command.configurable.contains { place in places.contains { $0 == place } }
    }

    /// The words that give the option a value.
    ///
    /// - Returns: the words, or the reason for which it cannot be the value.
    func words(for value: String, home: String?) -> Result<[String], InvalidValue> {
        switch kind {
        case .flag:
            switch value.lowercased() {
            case "yes", "true", "1": return .success(["--\(option)"])
            case "no", "false", "0": return .success([])
            default: return .failure(InvalidValue("\(quoted(value)) is neither yes nor no"))
            }
        case .path:
            let path = value.hasPrefix("~/") ? home.map { $0 + value.dropFirst() } : value
            guard let path, path.hasPrefix("/") else {
                return .failure(
                    InvalidValue("\(quoted(value)) depends on the current directory: begin the path with / or ~/"))
            }
            return checked("--\(option)=\(path)")
        case .text:
            guard option != "link" || value != "yes" else {
                return .failure(
                    InvalidValue("linking clients without asking is for the command line only: --link yes"))
            }
            return checked("--\(option)=\(value)")
        }
    }

    /// The reason for which a text is not a value of the setting.
    struct InvalidValue: Error {
        let reason: Sentence
        init(_ reason: Sentence) { self.reason = reason }
    }

    private func checked(_ word: String) -> Result<[String], InvalidValue> {
        guard let place = places.first else { return .success([word]) }
        do {
            if let radio = try place.parse([word]) as? RadioOption { try radio.check() }
            return .success([word])
        } catch let error as RadioError {
            return .failure(InvalidValue(Sentence(reason: error.reason)))
        } catch {
            let told = place.message(for: error)
            let message = Self.withoutOptions(told).replacing("--\(option) ", with: "it ")
            let text = message.prefix(1).lowercased() + message.dropFirst()
            return .failure(
                InvalidValue(form(of: told, said: message).map { "\(text): it takes \($0)" } ?? "\(text)"))
        }
    }

    /// The form that a value has, where a message does not say it: "seconds" of "… for '--timeout <seconds>'".
    private func form(of told: String, said message: String) -> Substring? {
        let opening = " for '--\(option) <"
        guard !message.contains(": "), let start = told.firstRange(of: opening)?.upperBound,
            let end = told[start...].firstIndex(of: ">")
        else { return nil }
        return told[start..<end]
    }

    /// "The value 'x' is invalid: give …" of "The value 'x' is invalid for '--tunnel <url>': give …", because the user
    /// has given no such option.
    private static func withoutOptions(_ message: String) -> String {
        let opening = " for '--"
        let pieces = message.split(separator: opening, omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: String(pieces.first ?? "")) { text, piece in
            if let end = piece.firstIndex(of: "'") {
                text += piece[end...].dropFirst()
            } else {
                text += opening + piece
            }
        }
    }
}
