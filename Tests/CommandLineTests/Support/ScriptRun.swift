import Foundation
import TestPeers

/// One run of a script, in a directory of its own.
struct ScriptRun {
    private let script: Script
    private let context: TestContext
    private var variables: [String: String]
    private var environment: [String: String]
    private var running: [String: Program] = [:]
    private var last: Program?
    private var lastDuration = Duration.zero
    private var input: [UInt8] = []
    private var count = 0

    /// Slow machines are slow; a bound of a specification is checked by `within`.
    private static let timeout = Duration.seconds(300)

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a script; whatever it started is gone when this returns.
    ///
    /// - Throws: ``Problem`` at the first line that does not hold.
    static func run(_ script: Script) async throws {
        try await TestContext.with { context in
            var run = ScriptRun(script: script, context: context)
            for file in script.files { try write(file.text, to: context.directory.appending(path: file.name).path) }
            for line in script.lines {
                do {
                    guard try await run.perform(line) else { return }
                } catch {
                    let output = run.last.map { "\n\($0.text(.stdout))\n\($0.text(.stderr))" } ?? ""
                    throw Problem(
                        description: "\(script.name):\(line.number): \(line.verb) \(line.rest): \(error)\(output)")
                }
            }
        }
    }

    /// Writes a file that no program inherits open, as it does of Foundation: while it was, nobody could execute the
    /// file.
    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Problem(description: "\(path) cannot be written") }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Problem(description: "\(path) cannot be written") }
            rest = rest.dropFirst(count)
        }
    }

    private init(script: Script, context: TestContext) {
        self.script = script
        self.context = context
        variables = [
            "PEERS": TestContext.peers.path, "VECTORS": TestContext.vectors.path, "FIXTURES": TestContext.fixtures.path,
            "WORK": context.directory.path,
        ].merging(script.variables) { $1 }
        environment = context.environment
    }

    /// Performs one line; false if the rest of the script is not for this machine.
    private mutating func perform(_ line: Script.Line) async throws -> Bool {
        let rest = try substituted(line.rest)
        let words = Script.Line.words(rest)
        switch line.verb {
        case "exec": try await execute(words, mustFail: line.isNegated)
        case "expect": try await expect(rest)
        case "wait":
            let program = try named(rest)
            last = program
            try await finish(program, mustFail: line.isNegated)
        case "signal": try signal(words)
        case "stdout", "stderr":
            let stream: Program.Stream = line.verb == "stdout" ? .stdout : .stderr
            let isThere = try find(rest, in: last?.text(stream) ?? "")
            guard isThere != line.isNegated else { throw Problem(description: isThere ? "it is there" : "not there") }
        case "exit":
            let status = last?.status.map { "\($0)" } ?? "nothing"
            guard status == rest else { throw Problem(description: "it ended with \(status)") }
        case "within":
            guard let seconds = Double(rest), lastDuration <= .seconds(seconds) else {
                throw Problem(description: "it took \(lastDuration)")
            }
        case "stdin": input = Array(try Data(contentsOf: context.directory.appending(path: rest)))
        case "env":
            let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            environment[parts[0]] = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
        case "port": variables[rest] = "\(try FreePort.next())"
        case "needs": return try await has(rest, at: line)
        default: throw Problem(description: "no such command")
        }
        return true
    }

    private mutating func execute(_ words: [String], mustFail: Bool) async throws {
        var words = words
        let name = words.last.flatMap { $0.hasPrefix("&") && $0.count > 1 ? String($0.dropFirst()) : nil }
        if name != nil { words.removeLast() }
        let program = try context.start(words, environment: environment, input: input)
        input = []
        if let name {
            running[name] = program
        } else {
            last = program
            try await finish(program, mustFail: mustFail)
        }
    }

    private mutating func finish(_ program: Program, mustFail: Bool) async throws {
        let start = ContinuousClock.now
        let status = try await program.wait(atMost: Self.timeout) { program.status }
        lastDuration = .now - start
        guard let status else { throw Problem(description: "it does not end") }
        try keep(program)
        guard (status != 0) == mustFail else { throw Problem(description: "it ended with \(status)") }
    }

    /// Keeps the output of a program, as `outputs/NUMBER-NAME.stdout` and `.stderr`.
    private mutating func keep(_ program: Program) throws {
        let name = running.first { $0.value === program }?.key ?? "exec"
        count += 1
        for stream in [Program.Stream.stdout, .stderr] {
            let file = context.outputs.appending(path: "\(count)-\(name).\(stream.rawValue)")
            try Data(program.text(stream).utf8).write(to: file)
        }
    }

    private mutating func expect(_ rest: String) async throws {
        let parts = rest.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let stream = Program.Stream(rawValue: parts[1]) else {
            throw Problem(description: "expect NAME STREAM PATTERN")
        }
        let program = try named(parts[0])
        last = program
        let pattern = try Regex(parts[2]).anchorsMatchLineEndings()
        let found = try await program.wait(atMost: Self.timeout) { () -> Bool? in
            let hasEnded = program.status != nil
            if program.text(stream).firstMatch(of: pattern) != nil { return true }
            return hasEnded ? false : nil
        }
        guard found == true, try find(parts[2], in: program.text(stream)) else {
            throw Problem(description: "it does not come")
        }
    }

    private mutating func find(_ pattern: String, in text: String) throws -> Bool {
        guard let match = try text.firstMatch(of: Regex(pattern).anchorsMatchLineEndings()) else { return false }
        for group in match.output {
            if let name = group.name, let text = group.substring { variables[name] = String(text) }
        }
        return true
    }

    private func signal(_ words: [String]) throws {
        let numbers = [
            "INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP, "STOP": SIGSTOP, "CONT": SIGCONT, "KILL": SIGKILL,
        ]
        guard words.count == 2, let number = numbers[words[1]] else { throw Problem(description: "signal NAME SIGNAL") }
        try named(words[0]).send(number)
    }

    /// True if this machine meets the needs of the rest of the script; if not, says what is missing.
    private func has(_ rest: String, at line: Script.Line) async throws -> Bool {
        let parts = rest.split(separator: " # ", maxSplits: 1).map(String.init)
        let words = Script.Line.words(parts.first ?? "")
        let program = try? context.start(words, environment: environment, input: [])
        if let program, try await program.wait(atMost: Self.timeout, for: { program.status }) == 0 { return true }
        print("\(script.name).txt:\(line.number): part skipped: it needs \(parts.last ?? "")")
        return false
    }

    private func named(_ name: String) throws -> Program {
        guard let program = running[name] else { throw Problem(description: "nothing runs by the name \(name)") }
        return program
    }

    private func substituted(_ text: String) throws -> String {
        var result = text
        for match in text.matches(of: /\$\{(\w+)\}/).reversed() {
            guard let value = variables[String(match.1)] else { throw Problem(description: "no variable \(match.1)") }
            result.replaceSubrange(match.range, with: value)
        }
        return result
    }
}
