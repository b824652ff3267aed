/// Description of a run in its report, besides the results: peer, runner, time and place.
public struct RunDescription: Sendable, Equatable {
    /// The implementation that is tested.
    public struct Peer: Sendable, Equatable {
        /// Its name.
        public var name: String
        /// Its version; nil if it was not told.
        public var version: String?
        /// The words of its command, or the URL of a tunnel service.
        public var command: [String]

        /// Names a peer.
        public init(name: String, version: String?, command: [String]) {
            self.name = name
            self.version = version
            self.command = command
        }

        /// Name and version.
        public var label: String { version.map { "\(name) \($0)" } ?? name }
    }

    /// One fact of the environment: the kernel, the number of jobs.
    public struct Fact: Sendable, Equatable {
        /// The subject, in a word or two: `kernel`.
        public var name: String
        /// The fact.
        public var value: String

        /// States a fact.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The role of the peer.
    public var role: ConformanceCase.Role
    /// The peer.
    public var peer: Peer
    /// The version of the runner: `0.1.0`.
    public var runnerVersion: String
    /// The begin of the run, UTC: `2026-11-23T03:16:08Z`.
    public var started: String
    /// The environment, in the order in which it is shown. Nothing private: no user, no host, no home.
    public var environment: [Fact]
    /// The words of the command that repeats the run, up to the words of the peer's, without the choice of cases.
    public var runnerWords: [String]
    /// The choice of cases.
    public var selection: CaseSelection
    /// The edition of CTAP that the peer shows; nil if it is not known.
    public var edition: Rule.Edition?

    /// Describes a run.
    public init(
        role: ConformanceCase.Role, peer: Peer, runnerVersion: String, started: String, environment: [Fact],
        runnerWords: [String], selection: CaseSelection, edition: Rule.Edition? = nil
    ) {
        self.role = role
        self.peer = peer
        self.runnerVersion = runnerVersion
        self.started = started
        self.environment = environment
        self.runnerWords = runnerWords
        self.selection = selection
        self.edition = edition
    }

    /// The same with every text of the peer, and of this machine, changed: to leave out private ones.
    public func changingTexts(_ change: (String) -> String) -> Self {
        var run = self
        run.peer.name = change(peer.name)
        run.peer.version = peer.version.map(change)
        run.peer.command = peer.command.map(change)
        run.runnerWords = runnerWords.map(change)
        run.selection.filters = selection.filters.map(change)
        run.environment = environment.map { Fact($0.name, change($0.value)) }
        return run
    }

    /// The words of the command that repeats the run with its choice of cases, up to the words of the peer's.
    var repeatingWords: [String] { runnerWords + selection.words }

    /// The command that repeats the run, for a shell: the cases that were chosen, and no others.
    var repeatingCommand: String { command(repeatingWords) }

    /// The command that repeats one case, and no other, for a shell.
    func command(repeating id: String) -> String { command(runnerWords + ["--jobs", "1", "--filter", id]) }

    private func command(_ words: [String]) -> String {
        Self.line(words + (role == .tunnelService ? [] : ["--"] + peer.command))
    }

    /// Words as a line for a shell.
    static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// A word as a shell reads it. A home directory was replaced by `~`, which the shell has to see.
    private static func quoted(_ word: String) -> String {
        if word.hasPrefix("~/") { return "~/" + (word == "~/" ? "" : quoted(String(word.dropFirst(2)))) }
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:=,@%+".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
