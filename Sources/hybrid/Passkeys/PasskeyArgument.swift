import ArgumentParser
import PasskeyAuthenticator
import TextEncodings
import Vault

/// A passkey as it is named on the command line: the first digits of its ID.
struct PasskeyArgument: ParsableArguments {
    @Argument(help: "The passkey: its ID, or enough of the digits that list shows.")
    var id: String

    /// The passkey that is meant.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func credential(among credentials: [Credential]) throws -> Credential {
        let found = credentials.filter(names)
        guard let credential = found.first else {
            throw Failure.usage("the vault has no passkey \(id)", hint: "hybrid passkeys list shows what there is")
        }
        guard found.count == 1 else {
            throw Failure.usage("\(found.count) passkeys begin with \(id)", hint: "give more of the ID's digits")
        }
        return credential
    }

    /// True if the digits are those with which a passkey's ID begins.
    func names(_ credential: Credential) -> Bool {
        !id.isEmpty && Hexadecimal.encode(credential.id).hasPrefix(id.lowercased())
    }
}

extension Vault {
    /// The passkey that is meant, in use or replaced, and its line.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one; `CredentialStoreError`.
    func find(_ passkey: PasskeyArgument) async throws -> (Credential, PasskeyLine) {
        let replaced = try replaced()
        let credential = try passkey.credential(among: credentials() + replaced.map(\.credential))
        let old = replaced.first { $0.credential.id == credential.id }
        return (credential, old.map(PasskeyLine.init) ?? PasskeyLine(credential))
    }
}
