import Foundation
import TestPeers
import Testing

/// Our declarations of libraries that are loaded when they are first used, compared with the libraries' own headers.
@Suite struct OptionalLibrariesTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let lists = here.appending(path: "../../Sources/Linux/COptionalLibraries/include").standardized

    /// A library: its header, our list of its functions, and a line of this with a mistake that must be noticed.
    struct Library: Sendable, CustomTestStringConvertible {
        let header: String
        let list: String
        let right: String
        let wrong: String

        var testDescription: String { list }
    }

    private static let libraries = [
        Library(
            header: "fido.h", list: "fido2-functions.h", right: "FUNCTION(int, fido_dev_close, (fido_dev_t *device)",
            wrong: "FUNCTION(void, fido_dev_close, (fido_dev_t *device)"),
        Library(
            header: "fido.h", list: "fido2-functions.h", right: "FIDO_ERR_PIN_INVALID, 0x31",
            wrong: "FIDO_ERR_PIN_INVALID, 0x32"),
        Library(
            header: "nats/nats.h", list: "nats-functions.h", right: "NATS_NOT_YET_CONNECTED, 31",
            wrong: "NATS_NOT_YET_CONNECTED, 30"),
        Library(
            header: "nats/nats.h", list: "nats-functions.h", right: "natsOnCompleteCB, void (*)(void *closure)",
            wrong: "natsOnCompleteCB, int (*)(void *closure)"),
        Library(
            header: "png.h", list: "png-functions.h", right: "FUNCTION(void, png_image_free",
            wrong: "FUNCTION(int, png_image_free"),
        Library(
            header: "zbar.h", list: "zbar-functions.h", right: "ZBAR_CFG_TEST_INVERTED, 0x81",
            wrong: "ZBAR_CFG_TEST_INVERTED, 0x82"),
    ].filter { FileManager.default.fileExists(atPath: "/usr/include/\($0.header)") }

    @Test("declarations are the headers'", .enabled(if: !libraries.isEmpty), arguments: libraries)
    func areThoseOfTheHeaders(_ library: Library) async throws {
        let list = Self.lists.appending(path: library.list)
        #expect(try await Self.compiles(library.header, list.path) == 0)

        let text = try String(contentsOf: list, encoding: .utf8)
        let mistaken = text.replacing(library.right, with: library.wrong)
        try #require(mistaken != text)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appending(path: library.list)
        try Data(mistaken.utf8).write(to: copy)
        #expect(try await Self.compiles(library.header, copy.path) != 0)
    }

    /// Compiles a list of ours against a header.
    ///
    /// - Returns: the compiler's exit status.
    private static func compiles(_ header: String, _ list: String) async throws -> Int32 {
        try await ChildProcess.run([
            "cc", "-fsyntax-only", "-w", "-DHEADER=<\(header)>", "-DFUNCTIONS=\"\(list)\"",
            here.appending(path: "Peers/same-declarations.c").path,
        ]).status
    }
}
