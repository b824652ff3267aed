import Encodings
import Glibc
import LinuxSupport
import Logging
import Synchronization

/// The lines on this process's requests to Bluetooth, the system and the tunnel service, and on the answers.
///
/// None are written unless `-v`, `-vv` or the variable `HYBRID_LOG` asks for them. They go to standard error, one each,
/// with the time since the command began; foreign text is escaped, and a long line is cut. The modules that make them
/// leave out secrets, contents, sites, accounts and Bluetooth addresses at every level, so that nothing has to be
/// looked for and removed.
package enum LogLines {
    /// The variable of the environment, and its values.
    package static let variable = "HYBRID_LOG"
    private static let levels: [String: Logger.Level] = ["off": .critical, "debug": .debug, "trace": .trace]
    /// The most lines that are kept for a report.
    private static let maxKept = 500
    /// The most characters of a line: none of our own words comes near them.
    static let maxLength = 1_000

    private struct State {
        var level = Logger.Level.critical
        var showsDay = false
        var kept: [String]?
    }

    private static let state = Mutex(State())
    private static let start = ContinuousClock.now

    /// Takes the log of all modules; to be called once, before anything is logged.
    ///
    /// - Parameter showsDay: true for a service, whose lines have the time of the day and the level.
    /// - Throws: ``Failure`` for a value of the variable that is none.
    static func begin(showsDay: Bool) throws(Failure) {
        _ = start
        state.withLock { $0.showsDay = showsDay }
        LoggingSystem.bootstrap { LogLineHandler(label: $0) }
        guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return }
        guard let level = levels[text] else {
            throw .usage(
                "\(variable) is \(quoted(text))", hint: "set it to debug, or to trace for every message, or to off")
        }
        state.withLock { $0.level = level }
    }

    /// The level that commands ask for by `-v`: debug once, trace twice; none asks for less than the variable.
    ///
    /// - Parameter count: the number of times that the flag was given.
    package static func show(verbosity count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.level = min($0.level, count > 1 ? .trace : .debug) }
    }

    /// Keeps the lines of the level debug from now on, without hosts.
    package static func keep() { state.withLock { $0.kept = [] } }

    /// The lines that were kept.
    package static var kept: [String] { state.withLock { $0.kept ?? [] } }

    /// The level at which modules log now.
    fileprivate static var level: Logger.Level {
        state.withLock { $0.kept == nil ? $0.level : min($0.level, .debug) }
    }

    static func write(
        _ event: LogEvent, label: String, _ metadata: Logger.Metadata, from own: Logger.Level?
    ) {
        let elapsed = ContinuousClock.now - start
        let text = "\(label): \(event.message)"
        let hosts = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let (isShown, showsDay) = state.withLock { state in
            if event.level <= .debug, let count = state.kept?.count, count < maxKept {
                state.kept?.append(escaped("\(Self.seconds(elapsed)) \(text)"))
            }
            return (event.level >= min(own ?? .critical, state.level), state.showsDay)
        }
        guard isShown else { return }
        let time = showsDay ? "\(timeOfDay()) \(event.level)" : "\(Self.seconds(elapsed)) s"
        let line = escaped("hybrid: \(JournalPriority.isOn ? "" : time + " ")\(text)\(hosts)")
        // Where standard error is lost, this cannot be told either.
        try? StandardStreams.write("\(JournalPriority(event.level).prefix)\(line)\n".utf8, to: STDERR_FILENO)
    }

    /// A line as it may be shown, whatever foreign text is in it: one line without invisible characters, and bounded.
    static func escaped(_ text: String) -> String {
        // Cut before as well, so that nobody has megabytes escaped.
        cut(cut(text).escapingInvisibleControls)
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: maxLength, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = String(Int64(duration.milliseconds))
        let digits = String(repeating: "0", count: max(0, 4 - milliseconds.count)) + milliseconds
        let text = "\(digits.dropLast(3)).\(digits.suffix(3))"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    /// The time of the day in UTC, `2026-11-27T16:20:00Z`.
    private static func timeOfDay() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Handler of swift-log that writes ``LogLines``.
private struct LogLineHandler: LogHandler {
    let label: String
    var metadata = Logger.Metadata()
    /// The level that was set for this logger alone.
    private var own: Logger.Level?

    init(label: String) { self.label = label }

    var logLevel: Logger.Level {
        get { min(own ?? .critical, LogLines.level) }
        set { own = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        LogLines.write(event, label: label, all, from: own)
    }
}

/// Priority of a line in the journal, which systemd reads from its first characters: sd-daemon(3).
enum JournalPriority: Int {
    case error = 3
    case warning, notice, information, debug

    init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .information
            case .notice: .notice
            case .warning: .warning
            case .error, .critical: .error
            }
    }

    /// True if standard error is the journal's: systemd.exec(5), `JOURNAL_STREAM`.
    static let isOn: Bool = {
        guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }()

    /// The characters; none where nobody reads them.
    var prefix: String { Self.isOn ? "<\(rawValue)>" : "" }
}
