internal import Glibc
internal import HybridProtocol
internal import LinuxSupport
internal import PasskeyExchange

/// Reads the desktop's clipboard, with a program of the desktop's.
package enum Clipboard {
    private static let text = ChildProgram.Limits(time: .seconds(5), length: 65_536)
    private static let picture = ChildProgram.Limits(time: .seconds(10), length: 64 << 20)

    /// A program that reads the clipboard.
    private struct Tool {
        /// The variable that is set where the program works.
        let display: String
        let text: [String]
        let picture: [String]
    }

    private static let tools = [
        Tool(
            display: "WAYLAND_DISPLAY", text: ["wl-paste", "--no-newline", "--type", "text"],
            picture: ["wl-paste", "--type", "image/png"]),
        Tool(
            display: "DISPLAY", text: ["xclip", "-selection", "clipboard", "-out"],
            picture: ["xclip", "-selection", "clipboard", "-out", "-target", "image/png"]),
    ]

    /// Reads the hybrid QR code in the clipboard: its text, or a picture of it.
    ///
    /// - Parameter reader: as in ``CodePicture/code(inFile:reader:)``.
    /// - Throws: ``AgentError``; `CancellationError`.
    package static func code(reader: [String]? = nil) async throws -> String {
        let usable = tools.filter { ProcessEnvironment.value($0.display) != nil }
        guard !usable.isEmpty else {
            throw AgentError(
                code: "no-screen", cause: "there is no clipboard: neither DISPLAY nor WAYLAND_DISPLAY is set",
                remedy: .showScreen)
        }
        var isInstalled = false
        for tool in usable {
            let copied: [UInt8]
            do {
                copied = try await output(of: tool.text, text)
                isInstalled = true
            } catch ChildProgram.Problem.missing {
                continue
            }
            let line = String(decoding: copied, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
            if InvitationScheme.isBeginning(ofAnyCode: line) { return line }
            let bytes = try await output(of: tool.picture, picture)
            if !bytes.isEmpty { return try await code(in: bytes, reader) }
        }
        guard isInstalled else {
            throw AgentError(
                code: "no-clipboard", cause: "no program could read the clipboard", remedy: .installClipboardProgram)
        }
        throw AgentError(
            code: "no-code", cause: "the clipboard has neither the text of a hybrid QR code nor a picture",
            remedy: .copyCode)
    }

    /// The output of a program; empty if the clipboard has nothing of that kind.
    private static func output(of command: [String], _ limits: ChildProgram.Limits) async throws -> [UInt8] {
        do {
            let (output, end) = try await ChildProgram.run(command, limits: limits)
            return end == .exited(0) ? output : []
        } catch ChildProgram.Problem.timeUp, ChildProgram.Problem.tooLong, ChildProgram.Problem.failed {
            return []
        }
    }

    private static func code(in picture: [UInt8], _ reader: [String]?) async throws -> String {
        try await PrivateFolder.withFile { path in
            do throws(AtomicFileError) {
                try AtomicFile(path: path).create(with: picture.span)
            } catch {
                throw AgentError(
                    code: "input-output", cause: Sentence(reason: error.reason), remedy: .checkRuntimeDirectory)
            }
            do {
                return try await CodePicture.code(inFile: path, reader: reader)
            } catch let error as AgentError {
                throw AgentError(
                    code: error.code, cause: error.cause.replacing(path, with: "the clipboard's picture"),
                    remedy: error.remedy)
            }
        }
    }
}
