import CTAP
import Foundation
import PasskeyAuthenticator
import Testing

@testable import PasskeyFormats

/// Files of python's, with keys of its `cryptography`, and back (Peer/peer.py).
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: FormatTestContext.isPeerInstalled, "python3 has no cryptography and fido2"))
struct PeerTests {
    @Test("Each key that was made elsewhere comes back as it was")
    func roundTrip() async throws {
        try await FormatTestContext.withFile { path in
            let lines = try await FormatTestContext.runPeer("write", .cxf, path)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let passkeys = try FormatTestContext.read(cxf: text).compactMap(\.passkey)
            #expect(passkeys.map(\.key.algorithm) == [.es256, .edDSA, .rs256])
            #expect(passkeys.map(FormatTestContext.line) == lines)
            try Data(CXF.encode(passkeys, at: 1).bytes).write(to: URL(filePath: path))
            #expect(try await FormatTestContext.runPeer("read", .cxf, path) == lines)
        }
    }
}
