import Foundation
import Glibc
import TestPeers
import Testing

/// The exposure of a running program to other programs and to the disk: in every role, before anything secret happens.
@Suite("A running program", .timeLimit(.minutes(5))) struct ProcessProtectionTests {
    /// A valid code; nobody waits for its answer.
    private static let code = """
        FIDO:/57998148002906278053805601694709136096041485061463939873439268777933535295129600737771425453823619044035135\
        7777832244870064389567225832337562621831545602109321447142404
        """

    /// A role that waits with secrets in its memory.
    enum Role: String, CaseIterable { case client, service, authenticator, listener }

    /// A kind of code, by the beginning of its text.
    enum Code: String, CaseIterable {
        case requests = "FIDO:/"
        case handOver = "HYBRID-HANDOVER:/"
    }

    @Test("leaves no core dump and keeps its secrets in locked memory", arguments: Role.allCases)
    func protection(role: Role) async throws {
        try await Self.withWaiting(role) { _, program in
            let limits = try Self.file("limits", of: program)
            #expect(limits.contains(#/Max core file size +0 +0 /#))
            let status = try Self.file("status", of: program)
            let locked = try #require(status.firstMatch(of: /VmLck:\s+(\d+) kB/)?.1).flatMap { Int($0) }
            #expect(try #require(locked) >= 1_024, "the memory for secrets is locked")
            let arguments = try Self.file("cmdline", of: program)
            #expect(!arguments.contains(/[0-9]{20}/), "the code stands in the command line: \(arguments)")
            if role == .authenticator { #expect(arguments.contains("FIDO:/xxx")) }
        }
    }

    @Test(
        "overwrites the text of a code in its command line, of every kind and in either case",
        arguments: Code.allCases, [false, true])
    func commandLine(code: Code, isLowerCase: Bool) async throws {
        let digits = Self.code.drop { !$0.isNumber }
        let prefix = isLowerCase ? code.rawValue.lowercased() : code.rawValue
        try await Self.withWaiting(for: code, text: prefix + digits) { program in
            let arguments = try Self.file("cmdline", of: program)
            #expect(arguments.contains("\(prefix)\(String(repeating: "x", count: digits.count))\0"), "\(arguments)")
            #expect(!arguments.contains(/[0-9]{20}/), "the code stands in the command line: \(arguments)")
        }
    }

    @Test("overwrites codes and secrets that are the values of options", arguments: Self.secretOptions)
    func commandLine(arguments: [String], shown: String) async throws {
        try await TestContext.with { context in
            // One waits for ever, since the pipe that it reads is open for writing too; the other scans.
            let command =
                arguments[0].hasPrefix("--secret")
                ? ["radio", "scan", "--radio", "udp:127.0.0.1:\(try FreePort.next())"] : ["inspect", "-"]
            let program = try context.start(
                ["sh", "-c", "mkfifo pipe && exec 3<>pipe && exec hybrid \"$@\" <&3", "sh"] + command + arguments)
            let isHidden = try await program.wait(atMost: .seconds(60)) {
                try Self.file("cmdline", of: program.process).contains(shown + "\0") ? true : nil
            }
            let seen = try Self.file("cmdline", of: program)
            #expect(isHidden == true, "\(seen)")
        }
    }

    @Test("is closed to other programs of its user, and writes no core when it is killed", arguments: Role.allCases)
    func closedToItsUser(role: Role) async throws {
        try await Self.withWaiting(role, as: Self.user + Self.withoutLimit) { context, program in
            #expect(try await !Self.isOpen(program, in: context))
            try await Self.kill(program)
            #expect(try Self.cores(in: context).isEmpty)
        }
    }

    @Test("The service keeps its contact secret in locked memory alone", .enabled(if: geteuid() == 0, "root may look"))
    func contactSecret() async throws {
        try await TestContext.with { context in
            let file = context.directory.appending(path: "secret")
            let service = try context.start([
                "hybrid", "tunnel-service", "--listen", "127.0.0.1:0", "--plain", "--contact-secret", file.path,
                "--host-name", "localhost",
            ])
            _ = try await service.find(/listening on (ws:\S+)/, in: .stderr)
            let copies = try Self.copies(of: Data(contentsOf: file), in: service)
            #expect(copies.locked > 0 && copies.elsewhere == 0, "\(copies)")
        }
    }

    @Test("An unprotected program is open to them, so that the test above can fail")
    func control() async throws {
        try await TestContext.with { context in
            try Self.open(context)
            let program = try context.start(Self.user + Self.withoutLimit + ["sh", "-c", "echo ready; exec sleep 600"])
            _ = try await program.find(/(ready)/)
            #expect(try await Self.isOpen(program, in: context))
            try await Self.kill(program)
            if try Self.coresComeHere { #expect(try !Self.cores(in: context).isEmpty) }
        }
    }

    /// Options as they are typed, and as they are seen.
    private static let secretOptions: [(arguments: [String], shown: String)] = [
        (["--qr", "FIDO:/123"], "--qr\0FIDO:/xxx"), (["--qr=fido:/123"], "--qr=fido:/xxx"),
        (["--qr=Hybrid-Handover:/123"], "--qr=Hybrid-Handover:/xxx"), (["--qr", " FIDO:/123"], "--qr\0 FIDO:/xxx"),
        (["--secret", secret], "--secret\0\(String(repeating: "x", count: secret.count))"),
        (["--secret=\(secret)"], "--secret=\(String(repeating: "x", count: secret.count))"),
    ]
    private static let secret = "000102030405060708090a0b0c0d0e0f"

    /// Runs a command that waits, with a code of a kind among its arguments, for the time of `body`, which
    /// gets its number.
    private static func withWaiting(
        for code: Code, text: String, _ body: (pid_t) async throws -> Void
    ) async throws {
        try await TestContext.with { context in
            let service = try context.start(["hybrid", "tunnel-service", "--listen", "127.0.0.1:0", "--plain"])
            let tunnel = try await service.find(/listening on (ws:\S+)/, in: .stderr)
            let ends = ["--radio", "udp:127.0.0.1:\(try FreePort.next())", "--tunnel", tunnel, "--allow-old"]
            let waits = /(advertising that this device is near)/
            switch code {
            case .requests:
                let program = try context.start(
                    ["hybrid", "authenticator", "answer", text, "--yes", "--ephemeral"] + ends)
                _ = try await program.find(waits, in: .stderr)
                try await body(program.process)
            case .handOver:
                // It takes a vault and a terminal; the program is the terminal's child.
                let vault = try context.start(
                    ["vault-writer", "--empty", "a.vault"], input: Array("open sesame\n".utf8))
                try #require(try await vault.wait(atMost: .seconds(60)) { vault.status } == 0)
                let terminal = try context.start(
                    ["python3", Peer.path("at_terminal.py"), "passphrase of the vault=open sesame", "--"]
                        + ["hybrid", "passkeys", "send", "--settle", text, "--vault", "a.vault"] + ends
                        + ["--verify", "passphrase"])
                _ = try await terminal.find(waits)
                let child = try file("task/\(terminal.process)/children", of: terminal.process)
                try await body(try #require(pid_t(child.trimmingCharacters(in: .whitespaces))))
            }
        }
    }

    /// Another user than root, where there is a choice: root may look into every process.
    private static let user =
        geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
    private static let withoutLimit = ["sh", "-c", "ulimit -S -c $(ulimit -H -c); exec \"$@\"", "sh"]

    /// Starts a role for the time of `body`, which begins when it waits for somebody.
    private static func withWaiting(
        _ role: Role, as prefix: [String] = [], _ body: (TestContext, Program) async throws -> Void
    ) async throws {
        try await TestContext.with { context in
            try open(context)
            let waking = ["--contact-secret", "secret", "--host-name", "127.0.0.1"]
            let service = try context.start(
                prefix + ["hybrid", "tunnel-service", "--listen", "127.0.0.1:0", "--plain"] + waking)
            let tunnel = try await service.find(/listening on (ws:\S+)/, in: .stderr)
            let ends = ["--radio", "udp:127.0.0.1:\(try FreePort.next())", "--tunnel", tunnel]
            let program: Program
            switch role {
            case .service: program = service
            case .client:
                let command = ["client", "register", "--rp-id", "example.com", "--user", "alice", "--qr", "url"]
                program = try context.start(prefix + ["hybrid"] + command + ends)
                _ = try await program.find(/(FIDO:\/\d+)/)
            case .authenticator:
                program = try context.start(
                    prefix + ["hybrid", "authenticator", "answer", code, "--allow-old", "--yes", "--ephemeral"] + ends)
                _ = try await program.find(/(advertising that this device is near)/, in: .stderr)
            case .listener:
                program = try context.start(
                    prefix + ["hybrid", "authenticator", "listen", "--yes", "--ephemeral"] + ends)
                _ = try await program.find(/(no client is linked yet)/, in: .stderr)
            }
            try await body(context, program)
        }
    }

    /// Lets every user write in the context's directory, which is home to its programs.
    private static func open(_ context: TestContext) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: context.directory.path)
    }

    /// True if its user's other programs may look into it: `environ` may be read by whom ptrace is allowed to, proc(5).
    private static func isOpen(_ program: Program, in context: TestContext) async throws -> Bool {
        let other = try context.start(user + ["cat", "/proc/\(program.process)/environ"])
        return try await other.wait(atMost: .seconds(30)) { other.status } == 0
    }

    private static func kill(_ program: Program) async throws {
        program.send(SIGQUIT)
        _ = try #require(try await program.wait(atMost: .seconds(30)) { program.status })
    }

    /// True if the kernel writes core dumps into the directory of the program, and this process may have some.
    private static var coresComeHere: Bool {
        get throws {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            let pattern = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
            return limit.rlim_max > 0 && pattern.hasPrefix("core")
        }
    }

    private static func cores(in context: TestContext) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: context.directory.path).filter { $0.hasPrefix("core") }
    }

    /// The number of times that bytes lie in a program's memory, locked or not; proc(5), smaps and mem.
    private static func copies(of secret: Data, in program: Program) throws -> (locked: Int, elsewhere: Int) {
        let memory = Glibc.open("/proc/\(program.process)/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        var copies = (locked: 0, elsewhere: 0)
        var mapping: (start: Int, end: Int)?
        for line in try file("smaps", of: program).split(separator: "\n") {
            if let found = line.firstMatch(of: /^([0-9a-f]+)-([0-9a-f]+) (..)/) {
                mapping =
                    if found.3 == "rw", let start = Int(found.1, radix: 16), let end = Int(found.2, radix: 16) {
                        (start, end)
                    } else { nil }
            } else if line.hasPrefix("VmFlags:"), let (start, end) = mapping {
                var rest = Data(count: end - start)
                let count = rest.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, start) }
                // Some that the kernel has made cannot be read.
                guard count == rest.count else { continue }
                while let found = rest.range(of: secret) {
                    if line.contains(" lo") { copies.locked += 1 } else { copies.elsewhere += 1 }
                    rest = rest[found.upperBound...]
                }
            }
        }
        return copies
    }

    private static func file(_ name: String, of program: Program) throws -> String {
        try file(name, of: program.process)
    }

    private static func file(_ name: String, of process: pid_t) throws -> String {
        // The kernel gives a page at a time and tells no length: who takes a short read for the end gets a part.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/\(name)"))
        var bytes = Data()
        while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }
}
