// A passkey of one Linux machine, used from another: over Bluetooth, as phones do it.
//
//     example-passkeys make              shows a QR code, and verifies the answer
//     example-passkeys answer FIDO:/…    asks at the terminal, and answers from a vault

import Glibc
import HybridTransport
import PasskeyAuthenticator
import QRCode
import Vault
import WebAuthnClient

/// The client: shows a QR code, and asks the device that reads it for a passkey.
func make() async throws {
    let site = try RelyingParty(id: "example.com")
    let registration = try site.beginRegistration(userName: "alice")
    // bluetoothd receives the advert; the advert names the tunnel service.
    let response = try await HybridClient().send(.makeCredential(registration.request)) { url in
        print(try QRCode(text: url).terminal())
    }
    guard response.status.isSuccess else { return print("refused: \(response.status)") }
    let made = try registration.verify(MakeCredentialResponse(decoding: response.payload))
    print("verified a passkey; the user was \(made.userVerified ? "" : "not ")verified")
}

/// The authenticator: reads the text of a QR code, and answers with a vault's passkeys.
func answer(_ text: String) async throws {
    // The desktop's keyring has the vault's key, and is unlocked when the user logs in.
    let path = "passkeys.vault"
    let vault: Vault
    if let summary = try Vault.summary(at: path) {
        let secrets = try await SecretService.secrets(forVault: summary.id)
        vault = try Vault.open(at: path, secrets)
    } else {
        let id = Vault.newID()
        let secrets = try await SecretService.secretsOrNew(forVault: id)
        vault = try Vault.create(at: path, id: id, secrets)
    }
    // The desktop's dialogue shows the site, and verifies the user. The terminal offers
    // the choice where there are several accounts.
    let approval = VerifiedApproval(
        asking: TerminalApproval(), verifier: PolkitVerifier(timeout: .seconds(60))
    ) { error in
        print("not verified: \(error.reason)")
    }
    let authenticator = PasskeyAuthenticator(store: vault, approval: approval)
    let responder = try HybridResponder(tunnelService: .google)
    let count = try await responder.answer(text, getInfo: authenticator.getInfo()) { events in
        for await event in events { print("authenticator: \(event)") }
    } respond: { command, _ in
        await authenticator.respond(to: command)
    }
    print("answered \(count) command(s)")
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("make", 2): try await make()
case ("answer", 3): try await answer(arguments[2])
default: exit(EXIT_FAILURE)
}
