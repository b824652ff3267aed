// An example of a handler for `hybrid authenticator answer --credential-handler`: it reads a request from its standard
// input, one line of JSON, and writes the answer to its standard output. The user has agreed before it is started.
//
// It has one credential, which is MADE UP and signed by nobody: no verifier that checks anything will take it. A real
// wallet would look up its credentials, and sign the one that it shows.

import Glibc
import HybridProtocol

/// The one way of asking that this example understands: OpenID for Verifiable Presentations 1.0 over the Digital
/// Credentials API.
let known = "openid4vp-v1-unsigned"
let madeUpCredential: JSONValue = "MADE-UP.this-credential-is-an-example.signed-by-nobody"

func answer(to line: String) throws -> DigitalCredentialAnswer {
    let request = try DigitalCredentialRequest(parsing: line)
    // Nothing is kept here, so nothing is taken either.
    guard request.kind == .presentation, let option = request.options.first(where: { $0.exchangeProtocol == known })
    else { return .refusal(.noCredential) }
    // Each query has an ID, under which its credentials are put into the `vp_token` (section 8.1).
    let queries = option.data["dcql_query"]?["credentials"]?.arrayValue ?? []
    let presentations = queries.compactMap { query in
        query["id"]?.stringValue.map { JSONValue.Member($0, .array([madeUpCredential])) }
    }
    guard !presentations.isEmpty else { return .refusal(.noCredential) }
    return .credential(DigitalCredential(exchangeProtocol: known, data: ["vp_token": .object(presentations)]))
}

do {
    print(try answer(to: readLine() ?? "").json)
} catch {
    // This text is shown to the user; the client is told that this device has failed.
    let words = "the request is malformed: \(error)\n"
    write(STDERR_FILENO, words, words.utf8.count)
    exit(EXIT_FAILURE)
}
