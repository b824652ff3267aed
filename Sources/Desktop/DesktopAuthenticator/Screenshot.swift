internal import Glibc
internal import LinuxSupport

/// Takes a picture of the screen with a program of the desktop's.
package enum Screenshot {
    private static let limits = ChildProgram.Limits(time: .seconds(20), length: 65_536)
    /// The desktop may ask the user first.
    private static let portalLimits = ChildProgram.Limits(time: .seconds(70), length: 8_192)

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
    /// The desktop's portal is asked first, by a child. Where there is none, a program of the desktop's takes a
    /// picture: a file, since some of them write to nothing else. Only its owner can read it, and it is removed again.
    ///
    /// - Parameters:
    ///   - portal: the program that asks the portal, and its arguments; nil to ask none.
    ///   - reader: as in ``CodePicture/code(inFile:reader:)``.
    /// - Throws: ``AgentError``; `CancellationError`.
    package static func code(portal: [String]? = nil, reader: [String]? = nil) async throws -> String {
        if let portal, let file = try await picture(from: portal) {
            defer { remove(file) }
            return try await read(file.path, reader)
        }
        return try await PrivateFolder.withFile { file in
            try await take(to: file)
            return try await read(file, reader)
        }
    }

    private static func read(_ file: String, _ reader: [String]?) async throws -> String {
        do {
            return try await CodePicture.code(inFile: file, reader: reader)
        } catch let error as AgentError where [.showWholeCode, .findHybridCode].contains(error.remedy) {
            throw AgentError(
                code: error.code, cause: "there is no hybrid QR code on the screen", remedy: .showCodeOnScreen)
        }
    }

    /// A picture that the portal has taken, with the time before that, in seconds since 1970.
    private struct Picture {
        let path: String
        let began: Int
    }

    /// Lets the portal take a picture; nil if there is none.
    ///
    /// - Throws: ``AgentError`` if the user does not want that; `CancellationError`.
    private static func picture(from portal: [String]) async throws -> Picture? {
        let began = time(nil)
        do {
            let (output, end) = try await ChildProgram.run(portal, limits: portalLimits)
            switch end {
            case .exited(0): break
            case .exited(ScreenshotPortal.declinedStatus):
                throw AgentError(
                    code: "declined", cause: "a picture of the screen was not allowed", remedy: .allowScreenshot)
            default: return nil
            }
            let path = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            return path.hasPrefix("/") ? Picture(path: path, began: began) : nil
        } catch is ChildProgram.Problem {
            return nil
        }
    }

    /// Removes a picture that was taken for us: it has the code, which is a secret. A file that was there before stays.
    private static func remove(_ picture: Picture) {
        var status = stat()
        guard lstat(picture.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
            status.st_mtim.tv_sec >= picture.began
        else { return }
        unlink(picture.path)
    }

    /// A way to take a picture of the screen.
    package enum Way: Sendable, Hashable {
        /// There is no screen: no desktop's variable is set.
        case noScreen
        /// None of these programs is installed, of which one would do.
        case missing([String])
        /// This program, the first that is installed.
        case program(String)
    }

    /// The way that would be used now. Whether the program works is seen when it is run.
    package static var way: Way {
        let usable = tools("").filter { ProcessEnvironment.value($0.display) != nil }
        guard !usable.isEmpty else { return .noScreen }
        let names = usable.compactMap(\.command.first)
        return names.first(where: { ProgramPath.find($0) != nil }).map(Way.program) ?? .missing(names)
    }

    private static func take(to file: String) async throws {
        let usable = tools(file).filter { getenv($0.display) != nil }
        guard !usable.isEmpty else {
            throw AgentError(
                code: "no-screen", cause: "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set",
                remedy: .showScreen)
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
            remedy: .installScreenshotProgram)
    }
}
