import ArgumentParser
import CommandLine
import FoundationEssentials
import Glibc
import LinuxSupport
import Testing

@testable import hybrid

/// The source of an option's value, and the faults of a file.
@Suite struct SettingsTests {
    private static let answer = ["authenticator", "answer", "-"]

    private static func answer(_ words: String...) -> [String] { ["authenticator", "answer"] + words + ["-"] }

    @Test func fiveSourcesInTheirOrder() throws {
        try ConfigurationFolder.with { folder in
            #expect(try folder.applied(to: Self.answer) == Self.answer)
            try folder.writeSystem("HYBRID_RADIO=udp:127.0.0.1:1\nHYBRID_TIMEOUT=1\nHYBRID_TUNNEL_DOMAIN=1\n")
            #expect(
                try folder.applied(to: Self.answer)
                    == Self.answer("--tunnel-domain=1", "--radio=udp:127.0.0.1:1", "--timeout=1"))
            try folder.writeUser("HYBRID_TIMEOUT=2\nHYBRID_TUNNEL_DOMAIN=256\n")
            #expect(
                try folder.applied(to: Self.answer)
                    == Self.answer("--tunnel-domain=256", "--radio=udp:127.0.0.1:1", "--timeout=2"))
            let variables = ["HYBRID_TIMEOUT": "3", "HYBRID_RADIO": ""]
            #expect(
                try folder.applied(to: Self.answer, variables)
                    == Self.answer("--tunnel-domain=256", "--radio=udp:127.0.0.1:1", "--timeout=3"))
            let given = Self.answer + ["--timeout", "4", "--radio=bluez"]
            #expect(
                try folder.applied(to: given, variables)
                    == ["authenticator", "answer", "--tunnel-domain=256"] + given.dropFirst(2))
            #expect(try folder.applied(to: Self.answer, ["HYBRID_CONFIG": "none"]) == Self.answer)
        }
    }

    @Test func onlyWhereTheOptionIs() throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser("HYBRID_TUNNEL=wss://a.example\nHYBRID_VAULT=~/v\nHYBRID_KEYRING=yes\n")
            #expect(
                try folder.applied(to: ["passkeys", "list"]) == ["passkeys", "list", "--vault=\(folder.home)/v"])
            // This --keyring is another one: it changes a vault that there is.
            #expect(
                try folder.applied(to: ["passkeys", "passphrase"])
                    == ["passkeys", "passphrase", "--vault=\(folder.home)/v"])
            #expect(try folder.applied(to: ["passkeys", "import", "x"]).contains("--keyring"))
            let taken = try folder.applied(to: ["passkeys", "import", "x", "--no-keyring"])
            #expect(!taken.contains("--keyring"))
            for command in [["demo"], ["version"], ["inspect", "0"], ["tunnel-service", "--dev"]] {
                #expect(try folder.applied(to: command) == command)
            }
            // Not among the words of another program.
            let runner = ["conformance", "client", "--", "hybrid", "client", "register"]
            #expect(try folder.applied(to: runner) == runner)
            #expect(try folder.applied(to: ["passkeys", "list", "--help"]) == ["passkeys", "list", "--help"])
        }
    }

    /// A configured value gives way to an option of the command line.
    @Test func yields() throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser("HYBRID_ADAPTER=hci1\nHYBRID_VERIFY=polkit\nHYBRID_VAULT=/v\n")
            let lab = Self.answer + ["--yes", "--ephemeral", "--radio", "udp:127.0.0.1:1"]
            #expect(try folder.applied(to: lab) == lab)
            let other = try folder.applied(to: Self.answer)
            #expect(other == Self.answer("--adapter=hci1", "--verify=polkit", "--vault=/v"))
        }
    }

    @Test(arguments: [
        ("HYBRID_RADIO=tcp:1", "HYBRID_RADIO in FILE, line 1: the value 'tcp:1' is invalid: give bluez, kernel, or"),
        ("# a\n\nHYBRID_RADIO=udp:192.0.2.1:1", "HYBRID_RADIO in FILE, line 3: "),
        ("HYBRID_ADAPTER=bluetooth", "HYBRID_ADAPTER in FILE, line 1: "),
        ("HYBRID_TUNNEL=http://a", "HYBRID_TUNNEL in FILE, line 1: the value 'http://a' is invalid: give wss://"),
        ("HYBRID_TUNNEL_DOMAIN=2", "HYBRID_TUNNEL_DOMAIN in FILE, line 1: the value '2' is invalid: give 0, 1, or 256"),
        ("HYBRID_TIMEOUT=soon", "HYBRID_TIMEOUT in FILE, line 1: the value 'soon' is invalid"),
        ("HYBRID_TIMEOUT=0", "HYBRID_TIMEOUT in FILE, line 1: it takes 1 second or more"),
        ("HYBRID_CHANNEL=usb", "HYBRID_CHANNEL in FILE, line 1: the value 'usb' is invalid"),
        ("HYBRID_VERIFY=none", "HYBRID_VERIFY in FILE, line 1: the value 'none' is invalid"),
        ("HYBRID_CA=ca.pem", "HYBRID_CA in FILE, line 1: \"ca.pem\" depends on the current directory"),
        ("HYBRID_KEYRING=maybe", "HYBRID_KEYRING in FILE, line 1: \"maybe\" is neither yes nor no"),
        ("HYBRID_LINK=yes", "HYBRID_LINK in FILE, line 1: linking clients without asking is for the command line"),
        ("HYBRID_YES=1", "HYBRID_YES in FILE, line 1: --yes is for the command line only"),
        ("HYBRID_STORE=/s", "HYBRID_STORE in FILE, line 1: --store is for the command line only"),
        ("HYBRID_CREDENTIAL_HANDLER=/h", "HYBRID_CREDENTIAL_HANDLER in FILE, line 1: --credential-handler is for"),
        ("HYBRID_RADIO", "FILE, line 1: it is not KEY=value"),
        ("export HYBRID_RADIO=bluez", "FILE, line 1: it is not KEY=value"),
        ("HYBRID_RADIO=\"bluez\"", "FILE, line 1: a value has no quotes"),
        ("HYBRID_RADIO=bluez\r", "FILE, line 1: it has control characters"),
    ])
    func aWrongLineIsNamed(text: String, cause: String) throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser(text + "\n")
            let failure = #expect(throws: Failure.self) { try folder.applied(to: Self.answer) }
            #expect(failure?.status == .file)
            let expected = cause.replacing("FILE", with: folder.userPath)
            #expect(failure?.cause.english.hasPrefix(expected) == true, "\(failure?.cause.english ?? "")")
        }
    }

    @Test func theEnvironmentIsNamed() throws {
        try ConfigurationFolder.with { folder in
            let wrong = #expect(throws: Failure.self) {
                try folder.applied(to: Self.answer, ["HYBRID_RADIO": "x"])
            }
            #expect(wrong?.status == .usage)
            #expect(wrong?.cause.english.hasPrefix("HYBRID_RADIO in the environment: the value 'x' is invalid") == true)
            let forbidden = #expect(throws: Failure.self) {
                try folder.applied(to: Self.answer, ["HYBRID_EPHEMERAL": "1"])
            }
            #expect(
                forbidden?.cause.english.hasPrefix("HYBRID_EPHEMERAL in the environment: --ephemeral is for") == true)
            let named = #expect(throws: Failure.self) {
                try folder.applied(to: Self.answer, ["HYBRID_CONFIG": folder.userPath])
            }
            #expect(named?.cause.english.contains("its only value is none") == true)
        }
    }

    @Test func spacesAroundAValueAreNoneOfIt() throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser(" \tHYBRID_VAULT = /v w=x#y \t\n  # HYBRID_VAULT=/z\nHYBRID_TIMEOUT=\n")
            #expect(try folder.applied(to: Self.answer) == Self.answer("--vault=/v w=x#y"))
            try folder.writeSystem("HYBRID_TIMEOUT=7\n")
            try folder.writeUser("HYBRID_TIMEOUT=8\nHYBRID_TIMEOUT= \n")
            #expect(try folder.applied(to: Self.answer) == Self.answer("--timeout=7"))
        }
    }

    @Test func unknownKeysStopNothing() throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser("HYBRID_TUNEL=x\n\nTIMEOUT=1\nHYBRID_QR=url\nHYBRID_QR=terminal\n")
            #expect(try folder.applied(to: Self.answer) == Self.answer)
            let settings = try folder.settings(["HYBRID_CHILD": "1"])
            let path = folder.userPath
            #expect(
                settings.warnings() == [
                    "\(path), line 1: there is no setting HYBRID_TUNEL; did you mean HYBRID_TUNNEL?",
                    "\(path), line 3: there is no setting TIMEOUT; did you mean HYBRID_TIMEOUT?",
                    "\(path), line 5: HYBRID_QR is there more than once; the last line counts",
                ])
            #expect(settings.warnings(ofEnvironment: true).count == 4)
        }
    }

    @Test func aFileThatOthersMayWriteIsRefused() throws {
        try ConfigurationFolder.with { folder in
            try folder.writeUser("HYBRID_RADIO=bluez\n")
            for mode: mode_t in [0o620, 0o602, 0o666] {
                chmod(folder.userPath, mode)
                let failure = #expect(throws: Failure.self) { try folder.applied(to: Self.answer) }
                #expect(failure?.hint == "chmod go-w \(folder.userPath)")
            }
            chmod(folder.userPath, 0o644)
            _ = try folder.applied(to: Self.answer)
            // Only root can give a file away.
            if geteuid() == 0 {
                chown(folder.userPath, 65_534, 65_534)
                let failure = #expect(throws: Failure.self) { try folder.applied(to: Self.answer) }
                #expect(failure?.cause.english.contains("belongs to another user") == true)
            }
            unlink(folder.userPath)
            mkdir(folder.userPath, 0o700)
            let failure = #expect(throws: Failure.self) { try folder.applied(to: Self.answer) }
            #expect(failure?.cause.english.hasSuffix("is not a file of settings") == true)
        }
    }

    /// The table and the options agree: each setting is an option of every place that it names.
    @Test(arguments: Setting.all.map(\.option)) func isAnOption(_ option: String) throws {
        let setting = try #require(Setting.all.first { $0.option == option })
        for place in setting.places {
            #expect(place.helpMessage(columns: 200).contains("--\(option)"), "\(place)")
        }
        #expect(HelpPage.all.contains { setting.isOption(of: $0.command) })
        #expect(!Setting.forbiddenKeys.contains(setting.key))
    }

    /// A command names each group of options with settings that it has; the demonstration is the same for everybody.
    @Test(arguments: HelpPage.all.filter { $0.program == Hybrid.self }) func everyPlaceIsNamed(_ page: HelpPage) {
        let places = Set(Setting.all.flatMap(\.places).map { ObjectIdentifier($0) })
        let groups = (OptionGroups.of(page.command) + [page.command]).map { ObjectIdentifier($0) }
        let named = (page.command as? any ConfigurableCommand.Type)?.configurable.map { ObjectIdentifier($0) } ?? []
        #expect(Set(named) == (page.command == DemoCommand.self ? [] : places.intersection(groups)))
    }

    @Test(arguments: Setting.commandLineOnly) func thereIsSuchAnOption(_ option: String) {
        #expect(HelpPage.all.contains { $0.text(columns: 200).contains("--\(option)") })
    }
}

/// A home with a user's file of settings, and a file for the system's.
struct ConfigurationFolder: Sendable {
    let home: String
    var userPath: String { "\(home)/.config/hybrid/hybrid.conf" }
    private var systemPath: String { "\(home)/system.conf" }

    static func with(_ body: (Self) throws -> Void) throws {
        let home = FileManager.default.temporaryDirectory.path + "/hybrid-settings-\(UUID().uuidString)"
        let folder = Self(home: home)
        try FileManager.default.createDirectory(atPath: "\(home)/.config/hybrid", withIntermediateDirectories: true)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try body(folder)) } catch { outcome = .failure(error) }
        try? FileManager.default.removeItem(atPath: home)
        try outcome.get()
    }

    func writeUser(_ text: String) throws { try write(text, to: userPath) }
    func writeSystem(_ text: String) throws { try write(text, to: systemPath) }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        // Whatever the mask of this process is.
        chmod(path, 0o600)
    }

    func settings(_ variables: [String: String] = [:]) throws -> Settings {
        try Settings(
            environment: variables.merging(["HOME": home]) { given, _ in given }, systemPath: systemPath)
    }

    func applied(to arguments: [String], _ variables: [String: String] = [:]) throws -> [String] {
        try Settings.applied(to: arguments, Reporter(isJSON: false)) { try settings(variables) }
    }
}
