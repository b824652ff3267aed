import Glibc

/// Takes a picture of the screen with whatever program of the desktop's is there.
enum Screenshot {
    private static let limit = Duration.seconds(20)
    private static let outputLimit = 65_536
    private static let template = "hybrid-screen-XXXXXX"
    private static let fileName = "screen.png"

    /// A program that takes a picture, and where it works.
    private struct Tool {
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

    /// Takes a picture, gives its path to `body`, and removes it. Nobody else can read it meanwhile.
    ///
    /// - Throws: ``Failure``; `CancellationError`; what `body` throws.
    static func with<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
        let folder = try makeFolder()
        let file = "\(folder)/\(fileName)"
        defer {
            unlink(file)
            rmdir(folder)
        }
        try take(to: file)
        return try body(file)
    }

    private static func take(to file: String) throws {
        let usable = tools(file).filter { getenv($0.display) != nil }
        guard !usable.isEmpty else {
            throw Failure(
                .failure, code: "no-screen", cause: "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set",
                hint: "run this in your desktop session, or give --image")
        }
        for tool in usable {
            do {
                _ = try ChildProgram.run(tool.command, timeLimit: limit, lengthLimit: outputLimit)
            } catch is ChildProgram.Problem {
                continue
            }
            // Some of them end well without having taken anything.
            if access(file, R_OK) == 0 { return }
        }
        throw Failure(
            .failure, code: "no-screenshot", cause: "no program could take a picture of the screen",
            hint:
                "install grim (Wayland), imagemagick (X11), gnome-screenshot or spectacle; or take it yourself and give --image"
        )
    }

    /// A new directory that is ours alone: in memory, if the login has one.
    private static func makeFolder() throws -> String {
        let parent = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(parent)/\(template)".utf8CString)
        guard mkdtemp(&path) != nil else {
            throw Failure(
                .file, code: "input-output", cause: "\(parent) cannot be written to: \(SystemError.last)",
                hint: "check XDG_RUNTIME_DIR, or take the picture yourself and give --image")
        }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
