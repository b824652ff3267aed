internal import CTAP

// What getInfo says of the way by which clients reach the authenticator. What is longer is taken all the same.

extension PasskeyAuthenticator.Transport {
    /// The ways in which the passkeys can be reached, as relying parties keep them.
    var names: [String] {
        switch self {
        case .hybrid: ["hybrid", "internal"]
        case .usb: ["hybrid", "usb"]
        }
    }

    /// The largest request. By USB, one that the kernel's queue for a virtual device holds: 32 reports (HT-HID-3).
    var maxMessageByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(PasskeyAuthenticator.maxMessageByteCount)
        case .usb: 57 + 31 * 59
        }
    }

    /// The most credentials in a list. Without a number clients ask for each credential by itself, and a hybrid session
    /// bears few requests that find nothing. By USB, as many of the longest IDs as go into a request.
    var maxCredentialCountInList: UInt64 {
        switch self {
        case .hybrid: 1_024
        case .usb: 8
        }
    }

    /// The longest credential ID.
    var maxCredentialIDByteCount: UInt64 {
        switch self {
        case .hybrid: UInt64(AttestedCredential.maxCredentialIDByteCount)
        case .usb: 128
        }
    }
}
