import ArgumentParser
import CommandLine
import Encodings
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// A passkey as it is named on the command line: the first digits of its ID, or the ID as clients write it.
struct PasskeyArgument: ParsableArguments {
    @Argument(help: .saying("The passkey: its ID, in digits or base64url, or enough of its first digits."))
    var id: String

    init() {}

    /// Names a passkey that stands in another argument.
    init(naming id: String) { self.id = id }

    /// The passkey that is meant.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func choose<Entry>(among entries: [Entry], by bytes: (Entry) -> [UInt8]) throws -> Entry {
        try Self.choose(id, among: entries, by: bytes)
    }

    /// The passkey that some digits mean.
    ///
    /// - Throws: as ``choose(among:by:)``.
    static func choose<Entry>(
        _ id: String, among entries: [Entry], by bytes: (Entry) -> [UInt8]
    ) throws -> Entry {
        let found = entries.filter { names(id, bytes($0)) }
        guard let entry = found.first else {
            throw Failure.usage(
                "the vault has no passkey \(quoted(id))", hint: "hybrid passkeys list shows what there is")
        }
        guard found.count == 1 else {
            throw Failure.usage("\(found.count) passkeys begin with \(id)", hint: "give more of the ID's digits")
        }
        return entry
    }

    /// True if the digits are those with which a passkey's ID begins.
    func names(_ id: [UInt8]) -> Bool { Self.names(self.id, id) }

    private static func names(_ digits: String, _ id: [UInt8]) -> Bool {
        !digits.isEmpty
            && (Hexadecimal.encode(id).hasPrefix(digits.lowercased()) || Base64URL.encode(id) == digits)
    }
}

extension Vault {
    /// The passkey that is meant, in use or replaced, and its line.
    ///
    /// - Throws: ``Failure`` if there is none, more than one, or one in transit or handed over; `CredentialStoreError`.
    func find(_ passkey: PasskeyArgument) async throws -> (Credential, PasskeyLine) {
        let replaced = try replaced()
        let inTransit = try inTransit()
        let handedOver = try handedOver()
        let others =
            replaced.map(\.credential) + inTransit.map(\.credential) + handedOver.map(\.credential)
        let credential = try passkey.choose(among: credentials() + others, by: \.id)
        if let sent = inTransit.first(where: { $0.credential.id == credential.id }) {
            throw Failure.inTransit(PasskeyLine(sent))
        }
        if let kept = handedOver.first(where: { $0.credential.id == credential.id }) {
            throw Failure.handedOver(PasskeyLine(kept))
        }
        let old = replaced.first { $0.credential.id == credential.id }
        return (credential, old.map(PasskeyLine.init) ?? PasskeyLine(credential))
    }
}
