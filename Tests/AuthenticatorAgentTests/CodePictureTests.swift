import Foundation
import LinuxSupport
import QRCode
import Testing

@testable import DesktopAuthenticator

/// QR codes in files.
@Suite("A picture", .timeLimit(.minutes(1)))
struct CodePictureTests {
    private static let hasZbar = FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg")
    private static let code = "FIDO:/0254318383213107654403"

    /// Reads a file.
    ///
    /// - Returns: the code in it, or the error.
    private func read(_ bytes: [UInt8]) async throws -> Result<String, AgentError> {
        var result: Result<String, AgentError>?
        try await inFolder { folder in
            try Data(bytes).write(to: URL(filePath: folder + "/-picture"))
            result = await read(path: folder + "/-picture")
        }
        return try #require(result)
    }

    private func read(path: String) async -> Result<String, AgentError>? {
        do {
            return .success(try await CodePicture.code(inFile: path))
        } catch {
            return (error as? AgentError).map { .failure($0) }
        }
    }

    private func failure(_ result: Result<String, AgentError>?) -> AgentError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test("gives its code", .enabled(if: hasZbar))
    func code() async throws {
        #expect(try await read(QRCode(text: Self.code).png()) == .success(Self.code))
    }

    @Test("without a hybrid code is refused", .enabled(if: hasZbar))
    func noCode() async throws {
        let other = failure(try await read(QRCode(text: "https://example.com").png()))
        #expect(other?.code == "no-code" && other?.remedy == .findHybridCode)
    }

    @Test("that is missing, no file or of an unknown kind is not given to zbar")
    func unreadable() async throws {
        for (path, cause) in [("/nowhere/picture", "No such file or directory"), ("/dev/zero", "it is not a file")] {
            let error = failure(await read(path: path))
            #expect(error?.code == "unreadable-picture" && error?.cause == "\(path) cannot be read: \(cause)")
        }
        // A script for ImageMagick, which would open other files.
        let script = failure(try await read(Array("push graphic-context\nimage over 0,0 0,0 '/etc/passwd'\n".utf8)))
        #expect(script?.remedy == .checkPicture && script?.cause.english.contains("it is not a picture in PNG") == true)
    }
}
