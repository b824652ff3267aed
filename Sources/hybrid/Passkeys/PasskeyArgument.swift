import ArgumentParser
import PasskeyAuthenticator
import TextEncodings

/// A passkey as it is named on the command line: the first digits of its ID.
struct PasskeyArgument: ParsableArguments {
    @Argument(help: "The passkey: its ID, or enough of the digits that list shows.")
    var id: String

    /// The passkey that is meant.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func credential(among credentials: [Credential]) throws -> Credential {
        let digits = id.lowercased()
        let found = digits.isEmpty ? [] : credentials.filter { Hexadecimal.encode($0.id).hasPrefix(digits) }
        guard let credential = found.first else {
            throw Failure.usage("the vault has no passkey \(id)", hint: "hybrid passkeys list shows what there is")
        }
        guard found.count == 1 else {
            throw Failure.usage("\(found.count) passkeys begin with \(id)", hint: "give more of the ID's digits")
        }
        return credential
    }
}
