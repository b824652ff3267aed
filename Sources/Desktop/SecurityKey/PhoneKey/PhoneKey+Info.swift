internal import CTAP

extension PhoneKey {
    /// The make of this security key, 16 bytes: 6b1a2d0e-93c4-4f0b-8f57-2c5de0a47b19. New passkeys have the phone's.
    package static let aaguid: [UInt8] = [
        0x6b, 0x1a, 0x2d, 0x0e, 0x93, 0xc4, 0x4f, 0x0b, 0x8f, 0x57, 0x2c, 0x5d, 0xe0, 0xa4, 0x7b, 0x19,
    ]

    /// The longest credential ID in a list. Phones make IDs of 16 to some 80 bytes; longer ones are of other keys, and
    /// programs leave those out.
    static let maxCredentialIDByteCount = 200
    /// The most credentials in a list. Chromium sends a registration's list whole up to this number, and Firefox and
    /// python-fido2 probe for so many at once. Programs that heed the length of a message send fewer long IDs.
    static let maxCredentialCount = 32
    /// The longest message that is asked for: 32 reports, which the kernel's queue holds (HT-HID-3). It drops of a
    /// longer one what finds the queue full; what arrives whole is taken all the same.
    static let maxMessageByteCount: UInt64 = 57 + 31 * 59

    /// The answer to authenticatorGetInfo: always the same, whichever phone is linked.
    ///
    /// - CTAP 2.0: of 2.1, hmac-secret and credential management are missing (CTAP 2.1 section 9). Chromium tells
    ///   sites of a 2.1 key that a passkey is not discoverable where it was not demanded to be, and on phones all are.
    /// - `uv` without a PIN: programs then leave the verification of the user to the key (libfido2
    ///   `fido_dev_make_cred`, authenticator-rs `UsingInternalUv`, Chromium `PINUVDisposition::kUseInternalUV`), and
    ///   phones verify always.
    /// - A PIN/UV auth protocol, though there is nothing to use it for: without one python-fido2 verifies no user.
    /// - `credProtect`: without it OpenSSH makes neither resident keys nor such with verification.
    /// - no `hmac-secret`: phones have `prf` instead, whose output is not signed.
    /// - The transports are what sites keep of a new passkey: it can be reached as a USB key here, by a QR code
    ///   elsewhere, and on the phone itself.
    package nonisolated func getInfo() -> [UInt8] {
        GetInfoResponse(
            versions: ["FIDO_2_0"], extensions: [ExtensionIdentifier.credProtect], aaguid: Self.aaguid,
            options: ["rk": true, "up": true, "uv": true], maxMessageSize: Self.maxMessageByteCount,
            pinUvAuthProtocols: [2], maxCredentialCountInList: UInt64(Self.maxCredentialCount),
            maxCredentialIDLength: UInt64(Self.maxCredentialIDByteCount),
            transports: ["usb", "hybrid", "internal"], algorithms: [.init(algorithm: .es256)]
        ).encoded()
    }
}
