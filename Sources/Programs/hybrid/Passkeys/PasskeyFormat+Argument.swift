import ArgumentParser
import CommandLine
import LinuxSupport
import PasskeyExchange

extension PasskeyFormat: ExpressibleByArgument {
    /// The format in words.
    var text: Sentence {
        switch self {
        case .cxf: "FIDO's Credential Exchange Format (CXF 1.0)"
        case .keepassxcPasskey: "a KeePassXC passkey (.passkey)"
        case .bitwarden: "an unencrypted Bitwarden export"
        case .kdbx: "a database of KeePass, KeePassXC or KeePassDX, encrypted (KDBX 4)"
        case .keepassXML: "the XML of such a database"
        case .hybrid: "an encrypted export of hybrid"
        }
    }

    /// All of them, a line each.
    static var table: Sentence {
        let longest = allCases.map(\.rawValue.count).max() ?? 0
        return allCases.map { format in
            let gap = String(repeating: " ", count: longest - format.rawValue.count + 2)
            return "  \(format.rawValue)\(gap)\(format.text)"
        }.joined("\n")
    }
}

/// Only a rehearsal.
struct DryRunOption: ParsableArguments {
    @Flag(help: .saying("Show what would happen to each passkey, and change nothing."))
    var dryRun = false
}
