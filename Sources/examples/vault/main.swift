// An authenticator without a transport: reads CTAP requests, and writes the answers.
//
//     example-vault passkeys.vault
//
// The first line of standard input is the vault's passphrase; each other line is a
// request in hexadecimal.

import Glibc
import Vault

let arguments = CommandLine.arguments
guard arguments.count == 2, let passphrase = readLine() else { exit(EXIT_FAILURE) }
let path = arguments[1]

// A new vault, or the one that is there.
let bytes = Array(passphrase.utf8)
let secrets = VaultSecrets(passphrase: SecretBytes(copying: bytes.span))
let vault =
    try Vault.summary(at: path) == nil
    ? Vault.create(at: path, id: Vault.newID(), secrets) : Vault.open(at: path, secrets)

// The desktop's dialogue verifies the user. The terminal offers the choice where there
// are several accounts.
let approval = VerifiedApproval(
    asking: TerminalApproval(),
    verifier: PolkitVerifier(timeout: .seconds(60))
) { error in
    print("not verified: \(error.reason)")
}
let authenticator = PasskeyAuthenticator(store: vault, approval: approval)

while let line = readLine() {
    let digits = Array(line)
    let request = stride(from: 0, to: digits.count, by: 2).compactMap { start in
        UInt8(String(digits[start...].prefix(2)), radix: 16)
    }
    // Whatever the request is, there is an answer: a CTAP status, then CBOR if it is 0.
    let response = await authenticator.respond(to: request)
    print(response.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
}
