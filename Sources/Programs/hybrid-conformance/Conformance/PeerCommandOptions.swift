import ArgumentParser
import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// The options of a command that runs once a case, and of its counterpart.
struct PeerCommandOptions: ParsableArguments {
    @Flag(
        help: .saying("The command is a shim: it speaks JSON on standard input and output, without network and radio."))
    var shim = false

    @Flag(help: .saying("Run the tunnel service without TLS."))
    var plain = false

    @Option(
        help: .saying(
            """
            A fixed address for the runner's tunnel service, instead of varying ports of 127.0.0.1. Cases then run one \
            at a time.
            """,
            valueName: "host:port"))
    var listen: String?

    @Option(
        help: .saying("The host name in {tunnel}, which leads to the tunnel service.", valueName: "name"))
    var tunnelHost = "localhost"

    @Option(
        help: .saying("The tunnel service's certificate chain, PEM. (default: a new one)", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(help: .saying("The tunnel service's private key, PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        help: .saying(
            "The command that makes a link: a line for sh with the same placeholders. (default: the command to test)",
            valueName: "line"))
    var linkCommand: String?

    @Argument(
        parsing: .postTerminator,
        help: .saying(
            """
            After --: the command to test, and its arguments. {tunnel}, {ca}, {radio}, {dir} and {url} in them are \
            replaced.
            """,
            valueName: "command"))
    var command: [String] = []

    func validate() throws {
        guard (certificate == nil) == (key == nil), !plain || certificate == nil else {
            throw ValidationError.saying("give --certificate with --key, and neither with --plain")
        }
        guard !shim || (!plain && listen == nil && certificate == nil && linkCommand == nil) else {
            throw ValidationError.saying("give --shim without --plain, --listen, --certificate and --link-command")
        }
        guard listen.map({ HostAndPort($0)?.port != nil }) ?? true else {
            throw ValidationError.saying("give --listen HOST:PORT")
        }
    }

    /// The radio and the number of jobs, for a report.
    func facts(_ radio: RadioOption, _ options: ConformanceOptions) -> [RunDescription.Fact] {
        if shim {
            let version = "a shim, version \(ShimHello.protocolVersion) of its protocol"
            return [RunDescription.Fact("radio", "none: \(version)"), RunDescription.Fact("jobs", "\(options.jobs)")]
        }
        let name =
            switch radio.radio {
            case .bluez: "Bluetooth, through bluetoothd"
            case .kernel: "Bluetooth, through the kernel's management socket"
            case .simulated: "simulated, over UDP on loopback"
            }
        let jobs = radio.isSimulated && listen == nil ? options.jobs : 1
        return [RunDescription.Fact("radio", name), RunDescription.Fact("jobs", "\(jobs)")]
    }

    /// Asks the shim what it does; nil for a whole program.
    ///
    /// - Throws: ``Failure`` if it does not play the role; `RunnerError`.
    func hello(_ role: ConformanceCase.Role, _ options: ConformanceOptions) async throws -> ShimHello? {
        guard shim, !command.isEmpty else { return nil }
        let hello = try await ShimHello.read(
            from: CommandTemplate(shim: command, .authenticate),
            timeout: .seconds(max(options.timeout, Self.startTime)))
        guard hello.roles.contains(role) else {
            throw Failure.usage(
                "the shim does not play the role \(role.rawValue)",
                hint: "its first line names its roles; to test a library of operations, use: vectors check --shim")
        }
        return hello
    }

    /// Seconds that a shim has for its first line, whatever `--timeout` says.
    private static let startTime: UInt32 = 30

    /// Makes settings, and keeps the certificate in a file while `body` runs.
    ///
    /// - Throws: ``Failure``.
    func withSettings(
        _ command: CommandTemplate, options: ConformanceOptions, radio: RunnerRadio,
        _ body: (ProgramSettings) async throws -> Void
    ) async throws {
        guard !command.words.isEmpty else {
            throw Failure.usage(
                "there is no command to test",
                hint: "give it after --, with {tunnel}, {ca} and {radio} where it takes them")
        }
        var settings = ProgramSettings(command: command, timeout: .seconds(options.timeout), radio: radio)
        settings.holdsPolicies = options.policy
        settings.host = tunnelHost
        if let listen = listen.flatMap({ HostAndPort($0) }) {
            settings.listenAddress = listen.host
            settings.port = listen.port ?? 0
        }
        if plain || shim { return try await body(settings) }
        if let certificate, let key {
            guard let identity = try? ServiceIdentity.files(certificate: certificate, key: key) else {
                throw Failure(
                    .file, code: "invalid-certificate",
                    cause: "\(certificate) and \(key) are not a certificate and its key",
                    hint: "give two PEM files that belong together")
            }
            settings.identity = identity
            settings.authority = certificate
            return try await body(settings)
        }
        let identity = try ServiceIdentity.local()
        let authority = identity.authorityPEM ?? []
        let name = "hybrid-conformance-\(UInt64.random(in: 0...UInt64.max)).pem"
        let file = FileManager.default.temporaryDirectory.appending(path: name)
        try AtomicFile(path: file.path).create(with: authority.span)
        defer { try? FileManager.default.removeItem(at: file) }
        settings.identity = identity
        settings.authority = file.path
        try await body(settings)
    }
}
