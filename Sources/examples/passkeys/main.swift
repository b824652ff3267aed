// A passkey of one Linux machine, used from another: over Bluetooth, as phones do it.
//
//     example-passkeys make              shows a QR code, and verifies what comes back
//     example-passkeys answer FIDO:/…    asks at the terminal, and answers from a vault

import BluetoothLE
import CTAP
import Glibc
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import QRCode
import TunnelClient
import UserVerification
import Vault
import WebAuthnClient

/// The client: shows a QR code, and asks the device that reads it for a passkey.
func make() async throws {
    let site = try RelyingParty(id: "example.com")
    let registration = try site.beginRegistration(userName: "alice")
    let command = CTAPRequest.makeCredential(registration.request).encoded()
    // bluetoothd receives the advert; the advert names the tunnel service.
    let ceremony = ClientCeremony(scanner: BlueZScanner(), opener: try TunnelClient())
    let answer = try await ceremony.run(hint: .makeCredential) { url in
        print(try QRCode(text: url).terminal())
    } session: { connection in
        try await connection.send(command)
    }
    let response = try CTAPResponse(decoding: answer.span)
    guard response.status.isSuccess else { return print("refused: \(response.status)") }
    let made = try registration.verify(
        MakeCredentialResponse(decoding: response.payload.span))
    print("verified a passkey; the user was \(made.userVerified ? "" : "not ")verified")
}

/// The authenticator: reads the text of a QR code, and answers with a vault's passkeys.
func answer(_ text: String) async throws {
    let invitation = try Invitation(url: text)
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
    let offer = SessionOffer(getInfo: authenticator.getInfo()) { command in
        await authenticator.respond(to: command)
    }
    let ceremony = AuthenticatorCeremony(
        advertiser: BlueZAdvertiser(), opener: try TunnelClient()
    ) { event in
        if case .stage(let stage) = event { print("authenticator: \(stage)") }
    }
    print("answered \(try await ceremony.run(invitation, offer: offer)) command(s)")
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("make", 2): try await make()
case ("answer", 3): try await answer(arguments[2])
default: exit(EXIT_FAILURE)
}
