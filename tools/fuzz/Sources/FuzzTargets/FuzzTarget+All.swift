extension FuzzTarget {
    /// All targets, the quick ones first.
    package static let all: [FuzzTarget] = [
        qrDigits, invitation, cbor, json, digitalCredential, relatedOrigins, advert, handshake, frames, session,
        messages, contactRequest, handOver, assembler, ctaphidDevice, ctaphidHost, ctapRequest, ctapResponse,
        vault, cxf, keepassxcPasskey, bitwarden, keepassXML, kdbx, pkcs8, links, contact, proxyHeader, captureFile,
        capture, dbus, runner, shim, clusterMessage, cluster, tunnelService, tunnelClient, ceremony,
    ]
}
