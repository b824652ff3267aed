extension FuzzTarget {
    /// All targets, the quick ones first.
    static let all: [FuzzTarget] = [
        qrDigits, invitation, cbor, json, advert, handshake, frames, session, messages, assembler, ctapRequest,
        ctapResponse,
        vault, links, contact, dbus, tunnelService, tunnelClient, ceremony,
    ]
}
