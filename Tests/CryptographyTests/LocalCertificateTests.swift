import Cryptography
import TestPeers
import Testing

@Suite struct LocalCertificateTests {
    private static let isOpenSSLPresent = ConditionTrait.enabled("the openssl program is not installed") {
        await CommandLinePeer.isPresent()
    }

    /// Writes the certificates of the authority and the server, and runs openssl for each call of the closure.
    private static func withFiles(
        _ body: (_ authority: String, _ certificate: String) async throws -> Void
    ) async throws {
        let made = try LocalCertificate()
        let certificatePEM = made.certificatePEM
        try await TemporaryFile.with(made.authorityPEM) { authority in
            try await TemporaryFile.with(certificatePEM) { try await body(authority, $0) }
        }
    }

    @Test(
        "openssl trusts the certificate for this machine's names and no other, however strict it is",
        isOpenSSLPresent)
    func trusted() async throws {
        try await Self.withFiles { authority, certificate in
            for (arguments, isTrusted) in [
                (["-verify_hostname", "localhost"], true), (["-verify_ip", "127.0.0.1"], true),
                (["-verify_ip", "::1"], true), (["-verify_hostname", "example.com"], false),
                (["-purpose", "sslclient"], false),
            ] {
                let command = ["openssl", "verify", "-x509_strict", "-check_ss_sig", "-purpose", "sslserver"]
                let run = try await ChildProcess.run(command + arguments + ["-CAfile", authority, certificate])
                #expect((run.status == 0) == isTrusted, "\(arguments): \(run.lines)")
            }
        }
    }

    @Test(
        "openssl trusts no certificate with a fault, and names it", isOpenSSLPresent,
        arguments: [
            (CertificateFault.otherName, "hostname mismatch"),
            (.unknownAuthority, "unable to get local issuer certificate"), (.selfSigned, "self-signed certificate"),
            (.incompleteChain, "unable to get local issuer certificate"), (.expired, "certificate has expired"),
            (.notYetValid, "certificate is not yet valid"), (.clientPurpose, "unsuitable certificate purpose"),
            (.otherPurpose, "unsuitable certificate purpose"),
        ])
    func faulty(fault: CertificateFault, words: String) async throws {
        let made = try LocalCertificate(faults: [fault])
        let certificatePEM = try #require(made.faultyPEM[fault])
        let run = try await TemporaryFile.with(made.authorityPEM) { authority in
            try await TemporaryFile.with(certificatePEM) { certificate in
                let line = "exec openssl verify -purpose sslserver -verify_hostname localhost -CAfile $0 $1 2>&1"
                return try await ChildProcess.run(["sh", "-c", line, authority, certificate])
            }
        }
        #expect(run.status != 0)
        #expect(run.lines.contains { $0.contains(words) }, "\(run.lines)")
    }

    @Test(
        "The server's certificate is not an authority's, and says what it is for; the authority serves nothing",
        isOpenSSLPresent)
    func extensions() async throws {
        try await Self.withFiles { authority, certificate in
            let server = try await Self.text(of: certificate)
            #expect(server.contains("X509v3 Basic Constraints: critical\nCA:FALSE\n"))
            #expect(server.contains("X509v3 Key Usage: critical\nDigital Signature\n"))
            #expect(server.contains("X509v3 Extended Key Usage: \nTLS Web Server Authentication\n"))
            #expect(server.contains("\nDNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1\n"))
            #expect(server.contains("X509v3 Authority Key Identifier: \n"))
            let signer = try await Self.text(of: authority)
            #expect(signer.contains("X509v3 Basic Constraints: critical\nCA:TRUE, pathlen:0\n"))
            #expect(signer.contains("X509v3 Key Usage: critical\nCertificate Sign, CRL Sign\n"))
            #expect(signer.contains("X509v3 Subject Key Identifier: \n"))
            #expect(!signer.contains("Subject Alternative Name"))
        }
    }

    /// The output of openssl for a certificate, without indentation.
    private static func text(of file: String) async throws -> String {
        try await ChildProcess.run(["openssl", "x509", "-in", file, "-noout", "-text"]).lines
            .map { $0.trimmingPrefix { $0 == " " } }.joined(separator: "\n")
    }

    @Test("The private key belongs to the certificate", isOpenSSLPresent)
    func privateKey() async throws {
        let certificate = try LocalCertificate()
        let privateKey = contents(certificate.privateKeyPEM)
        let ofCertificate = try await TemporaryFile.with(certificate.certificatePEM) {
            try await ChildProcess.run(["openssl", "x509", "-in", $0, "-noout", "-pubkey"])
        }
        let ofKey = try await TemporaryFile.with(privateKey) {
            try await ChildProcess.run(["openssl", "pkey", "-in", $0, "-pubout"])
        }
        #expect(ofKey.status == 0 && ofKey.lines == ofCertificate.lines)
    }

    @Test("Two certificates have different keys and authorities")
    func fresh() throws {
        let one = try LocalCertificate()
        let other = try LocalCertificate()
        #expect(one.certificatePEM != other.certificatePEM)
        #expect(one.authorityPEM != other.authorityPEM && one.authorityPEM != one.certificatePEM)
        #expect(contents(one.privateKeyPEM) != contents(other.privateKeyPEM))
    }

    @Test("Names that OpenSSL cannot read are refused")
    func badNames() {
        for names in ["localhost", "IP:127.0.0.1.5", "DNS:localhost,"] {
            let code = refusal { () throws(CryptographyError) in try LocalCertificate(names: names) }
            #expect(code == .libraryFailure, "\(names)")
        }
    }
}
