import CommandLine
import Encodings
import FoundationEssentials
import HybridProtocol
import WebAuthnClient

extension Reporter {
    /// Writes a verified registration.
    func result(_ verified: VerifiedRegistration, saying text: String) {
        result(
            "registration", response: verified.response.description, userVerified: verified.userVerified,
            attestation: verified.attestation.description, saying: text)
    }

    /// Writes a verified sign-in.
    func result(_ verified: VerifiedSignIn, saying text: String) {
        result(
            "authentication", response: verified.response.description, userVerified: verified.userVerified,
            attestation: nil, saying: text)
    }

    /// Writes a digital credential, as it came.
    func result(_ credential: DigitalCredential, saying text: String) {
        say(text)
        // The wallet's words go to a terminal: nothing in them may steer it.
        let json = credential.json.text.escapingInvisibleControlsInJSON
        guard isJSON else { return print(json) }
        print(
            #"{"event":"result","time":\#(now),"role":"client","ceremony":"digital-credential","verified":false,"#
                + #""response":\#(json)}"#)
    }

    /// Seconds since 1970, as in every line.
    private var now: Double { Date().timeIntervalSince1970 }

    /// `response` is JSON already: WebAuthn's serialisation, to be handed on byte for byte.
    private func result(
        _ ceremony: String, response: String, userVerified: Bool, attestation: String?, saying text: String
    ) {
        say(text)
        guard isJSON else { return print(response) }
        let attestation = attestation.map { #","attestation":"\#($0)""# } ?? ""
        print(
            #"{"event":"result","time":\#(now),"role":"client","ceremony":"\#(ceremony)","verified":true,"#
                + #""user_verified":\#(userVerified)\#(attestation),"response":\#(response)}"#)
    }
}
