internal import Cryptography

/// A client data hash that belongs to no sign-in: programs send one when they only want to know whether a passkey is
/// there.
enum PlaceholderHash {
    /// SHA-256 of nothing (authenticator-rs `do_credential_list_filtering_ctap2`, OpenSSH `sk_try`, Chromium
    /// `MakeCredentialTask::NextSilentRequest`), and zeros (python-fido2 `_filter_creds`).
    static let all: Set<[UInt8]> = [
        [
            0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
            0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
        ],
        [UInt8](repeating: 0, count: SHA256.byteCount),
    ]
}
