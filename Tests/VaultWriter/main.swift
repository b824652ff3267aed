// Opens a vault and changes it, again and again, until it is killed: for the tests that kill it.
//
//     vault-writer PATH
//     vault-writer --empty PATH
//
// The first line says what was found, `opened N SLOTS`; then comes `wrote N` for each change that is safely on the
// disk. Change N sets the time of last use of passkey N modulo 8 to N, so that the state after each change is known
// from its number alone. The vault is made if it is missing, with a keyring's key of zeros. Ends with 1 and the error's
// code if it cannot go on.
//
// With --empty it makes a vault without passkeys, and ends. The passphrase, of any length, is the first line of input.

import Cryptography
import Glibc
import PasskeyAuthenticator
import Vault

let slotCount = 8

func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    guard write(STDOUT_FILENO, &bytes, bytes.count) == bytes.count else { exit(2) }
}

func openOrCreate(_ path: String) async throws -> Vault {
    let zeros = [UInt8](repeating: 0, count: VaultSecrets.keyringKeyByteCount)
    let secrets = VaultSecrets(keyringKey: SecretBytes(copying: zeros.span))
    if try Vault.summary(at: path) != nil { return try Vault.open(at: path, secrets) }
    let vault = try Vault.create(at: path, id: Vault.newID(), secrets)
    let credentials = try (0..<slotCount).map { slot in
        Credential(
            id: [UInt8](repeating: UInt8(slot), count: Credential.idByteCount), rpID: "example.com", rpName: nil,
            userHandle: [UInt8(slot)], userName: "user \(slot)", userDisplayName: nil, isDiscoverable: true,
            key: try CredentialKey(), lastUsed: 0)
    }
    _ = try await vault.importCredentials(credentials)
    return vault
}

func createEmpty(_ path: String) throws {
    let passphrase = Array((readLine() ?? "").utf8)
    _ = try Vault.create(
        at: path, id: Vault.newID(), VaultSecrets(passphrase: SecretBytes(copying: passphrase.span)))
}

do {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--empty" {
        try createEmpty(arguments.dropFirst().first ?? "")
        exit(0)
    }
    let vault = try await openOrCreate(arguments.first ?? "")
    var credentials = try await vault.credentials()
    let times = credentials.map { $0.lastUsed ?? -1 }
    var number = times.max() ?? 0
    say("opened \(number) \(times.map { "\($0)" }.joined(separator: " "))")
    while true {
        number += 1
        let slot = Int(number) % slotCount
        credentials[slot].lastUsed = number
        try await vault.update(credentials[slot])
        say("wrote \(number)")
    }
} catch let error as VaultError {
    say("failed \(error.code.rawValue)")
    exit(1)
} catch let error as CredentialStoreError {
    say("failed \(error.code.rawValue)")
    exit(1)
}
