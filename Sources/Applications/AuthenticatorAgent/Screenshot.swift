internal import Glibc
internal import SystemPackage

/// Takes a picture of the screen with a program of the desktop's.
package enum Screenshot {
    private static let limits = ChildProgram.Limits(time: .seconds(20), length: 65_536)
    private static let template = "hybrid-screen-XXXXXX"
    private static let fileName = "screen.png"

    /// A program that takes a picture.
    private struct Tool {
        /// The variable that is set where the program works.
        let display: String
        let command: [String]
    }

    private static func tools(_ file: String) -> [Tool] {
        [
            Tool(display: "WAYLAND_DISPLAY", command: ["grim", file]),
            Tool(display: "WAYLAND_DISPLAY", command: ["spectacle", "--background", "--nonotify", "--output", file]),
            Tool(display: "WAYLAND_DISPLAY", command: ["gnome-screenshot", "--file=\(file)"]),
            Tool(display: "DISPLAY", command: ["import", "-window", "root", "png:\(file)"]),
            Tool(display: "DISPLAY", command: ["gnome-screenshot", "--file=\(file)"]),
            Tool(display: "DISPLAY", command: ["spectacle", "--background", "--nonotify", "--output", file]),
        ]
    }

    /// Reads the hybrid QR code on the screen.
    ///
    /// The picture is a file since some of the programs write to nothing else. Only its owner can read it, and it is
    /// removed again.
    ///
    /// - Throws: ``AgentError``; `CancellationError`.
    package static func code() async throws -> String {
        let folder = try makeFolder()
        let file = "\(folder)/\(fileName)"
        defer {
            unlink(file)
            rmdir(folder)
        }
        try await take(to: file)
        return try await CodePicture.code(inFile: file)
    }

    private static func take(to file: String) async throws {
        let usable = tools(file).filter { getenv($0.display) != nil }
        guard !usable.isEmpty else {
            throw AgentError(
                code: "no-screen", cause: "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set",
                advice: .useDesktopSession)
        }
        for tool in usable {
            do {
                _ = try await ChildProgram.run(tool.command, limits: limits)
            } catch is ChildProgram.Problem {
                continue
            }
            // Some of them exit with 0 although they have taken nothing.
            if access(file, R_OK) == 0 { return }
        }
        throw AgentError(
            code: "no-screenshot", cause: "no program could take a picture of the screen",
            advice: .installScreenshotProgram)
    }

    /// Makes a directory that only its owner can use: in memory, if the login has one.
    private static func makeFolder() throws -> String {
        let parent = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(parent)/\(template)".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw AgentError(
                code: "input-output", cause: "\(parent) cannot be written to: \(Errno(rawValue: errno))",
                advice: .checkRuntimeDirectory)
        }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
