import CTAP
import Foundation
import PasskeyAuthenticator
import Testing

@testable import PasskeyExchange

/// Files of python's, with keys of its `cryptography`, and back (Peer/peer.py).
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: FormatTestContext.isPeerInstalled, "python3 has no cryptography and fido2"))
struct PeerTests {
    @Test(
        "Each key that was made elsewhere goes round, by any format and into any", arguments: FormatTestContext.foreign,
        FormatTestContext.foreign)
    func roundTrip(_ source: PasskeyFormat, _ destination: PasskeyFormat) async throws {
        try await FormatTestContext.withFile { path in
            let lines = try await FormatTestContext.runPeer("write", source, path)
            let passkeys = try FormatTestContext.read(source, Data(contentsOf: URL(filePath: path)))
            #expect(passkeys.map(FormatTestContext.line) == lines)
            let export = try FormatTestContext.write(destination, passkeys)
            try Data(export.bytes).write(to: URL(filePath: path))
            let written = export.written.map(FormatTestContext.line)
            #expect(!written.isEmpty && written == Array(lines.prefix(written.count)))
            #expect(try await FormatTestContext.runPeer("read", destination, path) == written)
        }
    }
}
