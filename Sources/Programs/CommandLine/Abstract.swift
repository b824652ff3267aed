/// The sentences on commands that stand in the help of two programs: of the one that runs them, and of `hybrid`, which
/// hands over to it.
package enum Abstract {
    package static let tunnelService =
        "Run a tunnel service, which carries ciphertext between clients and authenticators."
    package static let conformance =
        "Test an authenticator, client or tunnel service of any make against the rules of the protocol."
    package static let vectors = "Check test vectors, or make them anew."
    package static let inspect =
        "Explain a QR code, an advert, CBOR, a tunnel domain, a rule, a site's file, or a capture of the air in words."
}
