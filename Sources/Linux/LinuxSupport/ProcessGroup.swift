internal import Glibc
package import Subprocess
internal import SystemPackage

// Child processes that lead a process group of their own, so that their own children do not outlive them. A process
// that leaves the group is left alone.

extension PlatformOptions {
    /// Options for a child in a process group of its own, which is killed as a whole when its task is cancelled or
    /// fails.
    package static var ownProcessGroup: Self {
        var options = Self()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        return options
    }
}

extension Configuration {
    /// Configuration of a command that runs without a shell, in a process group of its own.
    ///
    /// - Parameters:
    ///   - command: the program, searched in PATH unless it has a slash, and its arguments.
    ///   - environment: the names of the variables that are passed on; nil for all of them.
    package init(command: [String], environment: [String]? = nil) {
        self.init(
            command: command, environment: environment.map { .custom(Self.variables($0)) } ?? .inherit,
            options: .ownProcessGroup)
    }

    /// Configuration of such a command with variables in its environment, beside ours.
    package init(command: [String], variables: [String: String]) {
        self.init(command: command, environment: .inheriting(variables), options: .ownProcessGroup)
    }

    /// Configuration of a dialogue with the user, which the kernel ends if this process ends first, however it ends.
    ///
    /// It leads a session of its own: a program that asks at a terminal would be stopped there in the background.
    ///
    /// - Parameters:
    ///   - dialogue: the program, searched in PATH unless it has a slash, and its arguments.
    ///   - variables: variables of its environment, beside ours.
    package init(dialogue command: [String], variables: [String: String]) {
        var options = PlatformOptions.ownProcessGroup
        options.processGroupID = nil
        options.createSession = true
        // util-linux has it everywhere but on the smallest systems; there the dialogue lasts until its time is up.
        let prefix = ProgramPath.find("setpriv").map { [$0, "--pdeathsig", "KILL", "--"] } ?? []
        self.init(command: prefix + command, environment: .inheriting(variables), options: options)
    }

    private init(command: [String], environment: Environment, options: PlatformOptions) {
        _ = Self.brokenPipesAreErrors
        let program = command.first ?? ""
        self.init(
            executable: program.contains("/") ? .path(.init(program)) : .name(program),
            arguments: .init(Array(command.dropFirst())),
            environment: environment, platformOptions: options)
    }

    /// Ignores SIGPIPE, unless this process handles it: a child that closes its input early would end us with it. A
    /// write to such a child fails instead.
    private static let brokenPipesAreErrors: Void = {
        var current = sigaction()
        guard sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else { return }
        signal(SIGPIPE, SIG_IGN)
    }()

    /// The variables as `name=value`, each with the zero that swift-subprocess 1.0.2 copies up to without adding it:
    /// without it a child would get the bytes behind it in memory.
    private static func variables(_ names: [String]) -> [[UInt8]] {
        names.compactMap { name in getenv(name).map { Array("\(name)=\(String(cString: $0))".utf8) + [0] } }
    }
}

extension Environment {
    /// Our variables, and others in their place or beside them.
    fileprivate static func inheriting(_ variables: [String: String]) -> Self {
        .inherit.updating(
            Dictionary(uniqueKeysWithValues: variables.map { (Key(stringLiteral: $0.key), $0.value as String?) }))
    }
}

extension Execution {
    /// Waits until the program has ended, then kills the rest of its group. To be called at the end of the body.
    ///
    /// The ended program stays a zombie until the body returns, so that its group's number is not yet in use again.
    ///
    /// - Parameter limit: the longest time to wait; the whole group is killed after it.
    package func waitForEndOfGroup(atMost limit: Duration) async {
        // Signal 0 does nothing: this teardown is only the wait for the program's end.
        await teardown(
            using: [.send(signal: Signal(rawValue: 0), toProcessGroup: true, allowedDurationToNextStep: limit)])
        killGroup()
    }

    /// Kills the program with all of its group.
    package func killGroup() {
        // The only possible failure is that nothing of the group is left.
        try? send(signal: .kill, toProcessGroup: true)
    }
}

extension SubprocessError {
    /// Cause of the failure to start a program, in the system's words.
    package var cause: String { underlyingError.map { "\($0)" } ?? description }
}
