// The beginning of a ceremony without any radio or network: a QR code, and the advert
// that answers it.
//
//     example-protocol

import Glibc
import HybridProtocol

// Both: the functions needed of libcrypto are tried before anything is done.
do throws(CryptographyError) {
    try CryptographySelfTest.run()
} catch {
    print(error.reason)  // the OpenSSL of this machine does not permit SHA-256
    exit(1)
}

// The client: a new key and a new secret, as the text of a QR code.
let client = try ClientInvitation(
    privateKey: .generate(),
    secret: .random(count: Invitation.secretByteCount),
    details: .init(timestamp: nil, hint: .makeCredential))
let text = client.invitation.url()

// The authenticator: reads the text, and seals an advert that says where its tunnel is.
let scanned = try Invitation(url: text)
var sealingKey = try scanned.advertKey()
let advert = try sealingKey.seal(
    AdvertPlaintext(
        nonce: randomBytes(count: AdvertPlaintext.nonceByteCount),
        routingID: RoutingID([0x12, 0x34, 0x56]),
        domain: TunnelDomain(0)))

// The client: of all adverts on the air, only this one opens with its key.
var openingKey = try client.invitation.advertKey()
let opened = try openingKey.open(advert.span)
print("the tunnel service is \(opened.plaintext.domain.host())")
