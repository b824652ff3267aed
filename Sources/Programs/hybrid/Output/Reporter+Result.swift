import CommandLine
import Encodings
import Glibc
import HybridProtocol
import HybridTransport
import LinuxSupport
import WebAuthnClient

extension Reporter {
    /// Writes a verified registration.
    func result(_ verified: VerifiedRegistration, saying text: Sentence) {
        result(
            Self.json(verified.response.description), saying: text,
            [
                "ceremony": "registration", "verified": true, "user_verified": verified.userVerified,
                "attestation": verified.attestation.description,
            ])
    }

    /// Writes a verified sign-in.
    func result(_ verified: VerifiedSignIn, saying text: Sentence) {
        result(
            Self.json(verified.response.description), saying: text,
            ["ceremony": "authentication", "verified": true, "user_verified": verified.userVerified])
    }

    /// Writes the response to a page, which is not verified here.
    func result(_ response: String, of ceremony: String, saying text: Sentence) {
        result(Self.json(response), saying: text, ["ceremony": ceremony, "verified": false])
    }

    /// Writes a digital credential, as it came.
    func result(_ credential: DigitalCredential, saying text: Sentence) {
        result(credential.json, saying: text, ["ceremony": "digital-credential", "verified": false])
    }

    /// Writes a response as it is, but for characters that could steer a terminal; and a sentence for people. At a
    /// terminal that is all.
    private func result(_ response: JSONValue, saying text: Sentence, _ fields: Fields) {
        note(result: text)
        guard isJSON || isatty(STDOUT_FILENO) == 0 else { return print(text.localized) }
        say(text)
        var line = Line("result", ["role": Role.client.rawValue], fields, ["response": response])
        line.isInOrder = true
        write(line, orPrint: Sentence(verbatim: response.text.escapingInvisibleControlsInJSON))
    }

    /// A text that is JSON already.
    private static func json(_ text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? .string(text) }
}
