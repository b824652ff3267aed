internal import Cryptography

@testable internal import PasskeyAuthenticator
@testable internal import Vault

extension FuzzTarget {
    static let vault = FuzzTarget("vault", "a vault's file: header, checksum, and contents that another program sealed")
    { input in
        let kind = input.number(below: 3)
        let bytes = input.rest()
        switch kind {
        case 0: _ = try? VaultFile.parse(bytes)
        case 1:
            guard let parsed = try? VaultFile.parse(bytes + SHA256.hash(bytes.span)) else { return }
            let map = try VaultHeader.map(parsed.header.encoded.span).map
            expect(try VaultHeader(map) == parsed.header, "a header changes when written and read")
        default: try contents(bytes)
        }
    }

    /// A file that is as it should be, except the bytes that are sealed into it.
    private static func contents(_ bytes: [UInt8]) throws {
        let keyBytes = [UInt8](repeating: 9, count: AES256GCM.keyByteCount)
        let key = HeldSecret(SecretBytes(copying: keyBytes.span))
        let nonce = [UInt8](repeating: 1, count: AES256GCM.nonceByteCount)
        let header = VaultHeader(id: [UInt8](repeating: 2, count: VaultHeader.idByteCount), wrappings: [], nonce: nonce)
        var plaintext = bytes + SHA256.hash(bytes.span)
        var sealer = try AES256GCM.Sealer(key: keyBytes.span)
        try sealer.seal(&plaintext, nonce: AES256GCM.Nonce { nonce[$0] }, authenticatedData: header.encoded.span)
        let sealed = VaultFile.Sealed(header: header, headerBytes: header.encoded, contents: plaintext)
        guard let list = try? VaultFile.open(sealed, key) else { return }
        let encoded = try CredentialFile.encode(list)
        let again = try CredentialFile.encode(try CredentialFile.decode(encoded.span))
        expect(constantTimeEquals(again.span, encoded.span), "passkeys change when written and read")
    }
}
