import CTAP
import Encodings
import Foundation
import Testing

@testable import WebAuthnClient

/// Requests of pages as Chromium's `webAuthenticationProxy` hands them over, with Chromium's own answers and errors,
/// beside ours. `tools/browser-proxy/run capture` makes the file. Ours are those of ``LocalAuthenticator``.
@Suite struct ChromiumRequestTests {
    /// The paths that differ, by the names of requests; the article *ComparedWithChromium* says why.
    private static let differences: [String: [String]] = [
        // Demands of the standard that Chromium does not make.
        "verification-missing": ["error"], "key-missing": ["error"],
        // Chromium passes minPinLength on, whose result the authenticator signs.
        "most": ["flags"],
        // Of several passkeys each authenticator takes another.
        "any": ["/id", "/response/userHandle"], "value-of-one": ["/id", "/response/userHandle"],
        // The authenticator here signs the result of hmac-secret, always verifies its user,
        "hmac-secret": ["flags"], "two": ["flags"],
        // and every passkey of its has a function.
        "value-of-none": ["/clientExtensionResults/prf/results", "/clientExtensionResults/prf/results/first"],
    ]

    @Test("Chromium's requests are answered as Chromium answers them")
    func answers() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/chromium-156-requests.json")
        let capture = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        let requests = try #require(capture["requests"]?.arrayValue)
        #expect(requests.count { $0["isProxied"] == true } >= 30)
        let client = try WebAuthnClient(origin: try #require(capture["origin"]?.stringValue))
        // Chromium's virtual authenticator has no credProtect; another one has nothing at all.
        let whole = try LocalAuthenticator(leavingOut: [ExtensionIdentifier.credProtect])
        let bare = try LocalAuthenticator(leavingOut: nil)
        var ids: [String: String] = [:]
        for request in requests {
            let name = try #require(request["name"]?.stringValue)
            let authenticator = request["isForLess"] == true ? bare : whole
            let options = ids.reduce(try #require(request["options"]).text) {
                $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"")
            }
            var ours: [String: String]
            do {
                let response =
                    request["ceremony"] == "create"
                    ? try await client.create(options, with: authenticator).description
                    : try await client.get(options, with: authenticator).description
                let answer = try JSONValue(parsing: response)
                if request["ceremony"] == "create", let id = request["answer"]?["id"]?.stringValue {
                    ids[id] = answer["id"]?.stringValue
                }
                ours = try Self.fields(answer, [:])
            } catch {
                ours = ["error": WebAuthnExceptionName(of: error).rawValue]
            }
            let theirs =
                try request["answer"].map { try Self.fields($0, ids) } ?? ["error": request["error"]?.stringValue ?? ""]
            let differing = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted()
            let told = differing.map { "\($0): Chromium \(theirs[$0] ?? "none"), here \(ours[$0] ?? "none")" }
            #expect(differing == Self.differences[name] ?? [], "\(name): \(told.joined(separator: "; "))")
        }
    }

    /// The fields of an answer by their paths: those that are the request's by their values, chance by its form.
    private static func fields(_ answer: JSONValue, _ ids: [String: String]) throws -> [String: String] {
        var fields: [String: String] = [:]
        func add(_ value: JSONValue, _ path: String) {
            switch value {
            case .object(let members):
                fields[path] = "object"
                for member in members { add(member.value, "\(path)/\(member.name)") }
            case .string(let text):
                let bytes = Base64URL.decode(text)
                fields[path] = bytes.map { $0.count == 32 ? "32 bytes in base64url" : "base64url" } ?? text
            // The transports are the authenticator's.
            case .array(let elements): fields[path] = elements.contains("hybrid") ? "hybrid and others" : value.text
            default: fields[path] = value.text
            }
        }
        add(answer, "")
        for path in ["type", "authenticatorAttachment"] { fields["/\(path)"] = answer[path]?.stringValue }
        let response = try #require(answer["response"])
        fields["/response/userHandle"] = response["userHandle"]?.stringValue
        fields["/response/publicKey"] = response["publicKey"]?.stringValue.map { "\($0.count) characters" }
        let blob = "/clientExtensionResults/largeBlob/blob"
        fields[blob] = answer["clientExtensionResults"]?["largeBlob"]?["blob"]?.stringValue
        // The ID of a new passkey is chance.
        let id = try #require(answer["id"]?.stringValue)
        if response["signature"] != nil { fields["/id"] = ids[id] ?? id }
        #expect(answer["rawId"]?.stringValue == id)
        // Chromium appends a member now and then, so that nobody counts on their number.
        fields["/response/clientDataJSON"] = String(
            decoding: try #require(response["clientDataJSON"]?.stringValue.flatMap(Base64URL.decode)), as: UTF8.self
        ).replacing(/,"other_keys_can_be_added_here":"[^"]*"/, with: "")
        let data = try #require(response["authenticatorData"]?.stringValue.flatMap(Base64URL.decode))
        // If passkeys are backed up is the authenticator's.
        let flags = try AuthenticatorData(decoding: data.span).flags
        fields["flags"] = "\(flags.subtracting([.backupEligible, .backupState]).rawValue)"
        if let object = response["attestationObject"]?.stringValue.flatMap(Base64URL.decode) {
            let read = try AttestationObject(decoding: object.span)
            fields["format"] = read.format
            #expect(read.authenticatorData == data)
        }
        return fields
    }
}
