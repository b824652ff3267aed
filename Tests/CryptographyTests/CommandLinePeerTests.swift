import Cryptography
import Foundation
import TestPeers
import Testing

/// Keys and signatures exchanged with the command line program `openssl`, in the DER forms that it reads.
@Suite(.enabled("the openssl program is not installed") { await CommandLinePeer.isPresent() })
struct CommandLinePeerTests {
    @Test("openssl agrees on the same secret")
    func agreement() async throws {
        let own = try P256.PrivateKey.generate()
        let other = try P256.PrivateKey.generate()
        let (ownDER, otherDER) = (try sec1(own), subjectPublicKeyInfo(other.publicKey))
        let shared = try await TemporaryFile.with(ownDER) { ownFile in
            try await TemporaryFile.with(otherDER) { otherFile in
                try await TemporaryFile.with([]) { output in
                    try await openssl(
                        "pkeyutl", "-derive", "-keyform", "DER", "-inkey", ownFile, "-peerform", "DER", "-peerkey",
                        otherFile, "-out", output)
                    return try [UInt8](Data(contentsOf: URL(filePath: output)))
                }
            }
        }
        #expect(shared == contents(try other.sharedSecret(with: own.publicKey)))
    }

    @Test("openssl finds our signature good")
    func oursVerified() async throws {
        let key = try P256.PrivateKey.generate()
        let message = randomBytes(count: 100)
        let signature = try key.sign(message.span)
        try await TemporaryFile.with(subjectPublicKeyInfo(key.publicKey)) { keyFile in
            try await TemporaryFile.with(message) { messageFile in
                try await TemporaryFile.with(signature) { signatureFile in
                    try await openssl(
                        "dgst", "-sha256", "-keyform", "DER", "-verify", keyFile, "-signature", signatureFile,
                        messageFile)
                }
            }
        }
    }

    @Test("We find openssl's signature good")
    func theirsVerified() async throws {
        let key = try P256.PrivateKey.generate()
        let message = randomBytes(count: 100)
        let signature = try await TemporaryFile.with(try sec1(key)) { keyFile in
            try await TemporaryFile.with(message) { messageFile in
                try await TemporaryFile.with([]) { output in
                    try await openssl(
                        "dgst", "-sha256", "-keyform", "DER", "-sign", keyFile, "-out", output, messageFile)
                    return try [UInt8](Data(contentsOf: URL(filePath: output)))
                }
            }
        }
        #expect(try key.publicKey.verify(signature: signature.span, of: message.span))
    }

    @Test("openssl finds our RSA and Ed25519 signatures good, and reads our RSA key")
    func otherAlgorithms() async throws {
        let message = randomBytes(count: 100)
        let rsa = try RSA.PrivateKey.generate()
        let ed25519 = try Ed25519.PrivateKey.generate()
        let infos = [
            try rsa.publicKey.subjectPublicKeyInfo(), bytes("302a300506032b6570032100") + ed25519.publicKey.bytes,
        ]
        let signatures = [try rsa.sign(message.span), try ed25519.sign(message.span)]
        let extra = [["-digest", "sha256"], []]
        for index in infos.indices {
            try await TemporaryFile.with(infos[index]) { keyFile in
                try await TemporaryFile.with(message) { messageFile in
                    try await TemporaryFile.with(signatures[index]) { signatureFile in
                        try await openssl(
                            [
                                "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", keyFile, "-rawin", "-in",
                                messageFile, "-sigfile", signatureFile,
                            ] + extra[index])
                    }
                }
            }
        }
        try await TemporaryFile.with(contents(rsa.pkcs8())) { keyFile in
            try await openssl(["pkey", "-inform", "DER", "-in", keyFile, "-check", "-noout"])
        }
    }

    private func openssl(_ arguments: String...) async throws { try await openssl(arguments) }

    private func openssl(_ arguments: [String]) async throws {
        let run = try await ChildProcess.run(["openssl"] + arguments)
        #expect(run.status == 0, "openssl \(arguments.joined(separator: " ")): \(run.lines)")
    }

    /// ECPrivateKey of RFC 5915: version 1, the scalar, the curve, the point.
    private func sec1(_ key: borrowing P256.PrivateKey) throws -> [UInt8] {
        bytes("30770201010420") + contents(try key.scalar()) + bytes("a00a06082a8648ce3d030107a144034200")
            + key.publicKey.uncompressed
    }

    /// SubjectPublicKeyInfo of RFC 5480: the algorithm, the curve, the point.
    private func subjectPublicKeyInfo(_ key: P256.PublicKey) -> [UInt8] {
        bytes("3059301306072a8648ce3d020106082a8648ce3d030107034200") + key.uncompressed
    }
}

/// The program `openssl`.
enum CommandLinePeer {
    static func isPresent() async -> Bool {
        (try? await ChildProcess.run(["openssl", "version"]).status) == 0
    }
}
