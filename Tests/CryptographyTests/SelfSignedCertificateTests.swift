import Cryptography
import TestPeers
import Testing

@Suite struct SelfSignedCertificateTests {
    @Test(
        "openssl trusts the certificate for this machine's names and no other, and its key belongs to it",
        .enabled("the openssl program is not installed") { await CommandLinePeer.isPresent() })
    func trusted() async throws {
        let certificate = try SelfSignedCertificate()
        let privateKey = contents(certificate.privateKeyPEM)
        try await TemporaryFile.with(certificate.certificatePEM) { file in
            func verifies(_ arguments: String...) async throws -> Bool {
                try await ChildProcess.run(["openssl", "verify", "-CAfile", file] + arguments + [file]).status == 0
            }
            #expect(try await verifies("-verify_hostname", "localhost"))
            #expect(try await verifies("-verify_ip", "127.0.0.1"))
            #expect(try await verifies("-verify_ip", "::1"))
            #expect(try await !verifies("-verify_hostname", "example.com"))
            let ofCertificate = try await ChildProcess.run(["openssl", "x509", "-in", file, "-noout", "-pubkey"])
            let ofKey = try await TemporaryFile.with(privateKey) {
                try await ChildProcess.run(["openssl", "pkey", "-in", $0, "-pubout"])
            }
            #expect(ofKey.status == 0 && ofKey.lines == ofCertificate.lines)
        }
    }

    @Test("Two certificates have different keys")
    func fresh() throws {
        let one = try SelfSignedCertificate()
        let other = try SelfSignedCertificate()
        #expect(one.certificatePEM != other.certificatePEM)
        #expect(contents(one.privateKeyPEM) != contents(other.privateKeyPEM))
    }

    @Test("Names that OpenSSL cannot read are refused")
    func badNames() {
        for names in ["localhost", "IP:127.0.0.1.5", "DNS:localhost,"] {
            let code = refusal { () throws(CryptographyError) in try SelfSignedCertificate(names: names) }
            #expect(code == .libraryFailure, "\(names)")
        }
    }
}
