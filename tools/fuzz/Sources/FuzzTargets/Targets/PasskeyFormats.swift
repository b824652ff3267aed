internal import Cryptography
internal import PasskeyAuthenticator

@testable internal import PasskeyExchange

extension FuzzTarget {
    static let cxf = passkeys(.cxf, "files in the Credential Exchange Format")
    static let keepassxcPasskey = passkeys(.keepassxcPasskey, "KeePassXC's files of one passkey, with keys in PEM")
    static let bitwarden = passkeys(.bitwarden, "Bitwarden's exports")

    static let keepassXML = passkeys(.keepassXML, "the XML of KeePass databases")

    static let kdbx = FuzzTarget("kdbx", "KDBX files: the container, the derivation's parameters, and the contents") {
        input in
        let kind = input.number(below: 3)
        let bytes = input.rest()
        switch kind {
        case 0:
            // A header that is as its digest says is not drawn, so nothing is derived.
            let passphrase = [1 as UInt8]
            _ = try? KDBX.read(bytes.span, passphrase: SecretBytes(copying: passphrase.span)) { _ in }
        case 1: _ = try? KDBXDerivation(bytes)
        default:
            _ = try? KDBX.read(contents: bytes) { record in
                expect(record.passkey != nil || record.losses.isEmpty, "what is left out loses something")
            }
        }
    }

    static let pkcs8 = FuzzTarget("pkcs8", "private keys in PKCS #8") { input in
        let bytes = input.rest()
        guard let key = try? CredentialKey(pkcs8: bytes.span) else { return }
        let written = try key.pkcs8()
        let again = try CredentialKey(pkcs8: written.span)
        expect(again.publicKey == key.publicKey, "a key changes when written and read")
        let second = try again.pkcs8()
        expect(constantTimeEquals(written.span, second.span), "writing has no fixed point")
    }

    private static func passkeys(_ format: PasskeyFormat, _ about: String) -> FuzzTarget {
        FuzzTarget(format.rawValue, about) { input in
            let bytes = input.rest()
            _ = PasskeyFormat(recognising: bytes.span)
            guard let clearText = format.clearText else { return }
            var plan = PasskeyImportPlan(existing: [])
            var count = 0
            let counts = try? clearText.read(bytes.span) { record in
                count += 1
                expect(record.passkey != nil || record.losses.isEmpty, "what is left out loses something")
                _ = plan.add(record)
            }
            guard let counts else { return }
            expect(counts.withoutPasskey <= counts.items && plan.added.count <= count, "the counts do not fit")
            let export = try clearText.encode(plan.added, at: 0)
            guard !export.written.isEmpty else { return }
            var read: [Credential] = []
            _ = try clearText.read(export.span) { if let passkey = $0.passkey { read.append(passkey) } }
            expect(read.map(\.id) == export.written.map(\.id), "a passkey is lost when written and read")
            for (before, after) in zip(export.written, read) {
                expect(before.key.publicKey == after.key.publicKey, "a key changes when written and read")
                expect(before.rpID == after.rpID && before.userHandle == after.userHandle, "an account changes")
            }
        }
    }
}
