import Foundation

/// A display without a screen, with a session bus of its own, on which real programs of the desktop run.
public struct VirtualDisplay: Sendable {
    /// For instance `:1`.
    public let name: String
    /// The address of the session bus.
    public let bus: String
    /// The lines of the program that was started there.
    public let lines: AsyncStream<String>

    /// The variables by which a program finds the display and the bus.
    public var variables: [String: String] { ["DISPLAY": name, "DBUS_SESSION_BUS_ADDRESS": bus] }

    /// Makes a display while `body` runs, and starts a program there.
    public static func with<Result: Sendable>(
        running program: [String] = [], _ body: (VirtualDisplay) async throws -> Result
    ) async throws -> Result {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Python/display.py").path
        return try await ChildProcess.with(["/usr/bin/python3", script] + program) { child in
            var iterator = child.lines.makeAsyncIterator()
            let name = await iterator.next() ?? ""
            let bus = await iterator.next() ?? ""
            return try await body(VirtualDisplay(name: name, bus: bus, lines: child.lines))
        }
    }

    /// Waits for a window with this title, and lets a user do something there with the words of xdotool.
    public func inWindow(_ title: String, _ actions: [String]) async throws {
        let words = ["search", "--sync", "--onlyvisible", "--name", title, "windowfocus", "--sync"] + actions
        _ = try await run(["xdotool"] + words)
    }

    /// Waits until the program of the window with this title has dealt with its input: whenever it is looked at, it
    /// waits.
    public func settled(_ title: String) async throws {
        let pid =
            try await run(["xdotool", "search", "--sync", "--onlyvisible", "--name", title, "getwindowpid"]).lines
            .first ?? ""
        var quiet = 0
        while quiet < 10 {
            let status = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            let isWaiting = status.split(separator: ")").last?.hasPrefix(" S") ?? false
            quiet = isWaiting ? quiet + 1 : 0
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Takes a picture, if the variable HYBRID_SHOTS names a folder for them: for a person to look at.
    public func shoot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["HYBRID_SHOTS"] else { return }
        _ = try await run(["import", "-window", "root", "-trim", "\(folder)/\(name).png"])
    }

    /// Runs a program there to its end.
    public func run(_ command: [String]) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess.run(["env"] + variables.map { "\($0.key)=\($0.value)" } + command)
    }

    /// True if these programs are installed.
    public static func has(_ programs: String...) -> Bool {
        (["Xvfb", "xdotool"] + programs).allSatisfy { program in
            ["/usr/bin", "/usr/local/bin", "/bin"].contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
            }
        }
    }
}
