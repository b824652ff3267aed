// A relying party: has a passkey made, keeps its public key, and verifies a sign-in.
//
//     example-relying-party

import PasskeyAuthenticator
import WebAuthnClient

// The authenticator is in this process. Elsewhere HybridTransport carries the requests,
// or a browser does.
let authenticator = PasskeyAuthenticator(
    store: InMemoryCredentialStore(),
    approval: AutomaticApproval(claimsVerification: true))

struct Refused: Error { let status: CTAPStatus }

func send(_ request: CTAPRequest) async throws -> [UInt8] {
    let answer = await authenticator.respond(to: request.encoded())
    let response = try CTAPResponse(decoding: answer)
    guard response.status.isSuccess else { throw Refused(status: response.status) }
    return response.payload
}

/// Has a passkey made.
func register(_ user: String, at site: RelyingParty) async throws -> RegisteredCredential {
    let registration = try site.beginRegistration(userName: user)
    let answer = try await send(.makeCredential(registration.request))
    // A registration takes one answer: to verify consumes it, and the challenge with it.
    let made = try MakeCredentialResponse(decoding: answer)
    return try registration.verify(made).credential
}

/// Has a user sign in, and returns the verified sign-in.
func signIn(
    with known: [RegisteredCredential], at site: RelyingParty
) async throws -> VerifiedSignIn {
    let signIn = try site.beginSignIn(allow: known.map(\.id))
    let answer = try await send(.getAssertion(signIn.request))
    let signed = try GetAssertionResponse(decoding: answer)
    return try signIn.verify(signed) { id in known.first { $0.id == id } }
}

let site = try RelyingParty(id: "example.com")
let credential = try await register("alice", at: site)
print("registered a passkey of \(credential.id.count) bytes")
let verified = try await signIn(with: [credential], at: site)
// The credential is kept as it is now: with its new counter and backup state.
print("signed in as \(verified.credential.user.name ?? "")")
