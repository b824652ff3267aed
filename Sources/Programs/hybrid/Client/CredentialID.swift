public import ArgumentParser
internal import Encodings
public import WebAuthnClient

/// A credential ID as it is written on the command line: base64url.
struct CredentialID: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = Base64URL.decode(argument), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }
}

/// A user handle as an argument: base64url, as WebAuthn's JSON has it.
struct UserHandle: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = Base64URL.decode(argument) else { return nil }
        self.bytes = bytes
    }
}

extension RelyingParty.AttestationConveyance: ExpressibleByArgument {}
