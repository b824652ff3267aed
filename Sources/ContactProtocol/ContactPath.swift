/// Where the contact side of a service is, under its host's name.
public enum ContactPath {
    /// Where an authenticator connects to be woken.
    public static let listen = "/cable/listen"
    /// Where a client connects; the contact ID follows in base64url without padding (PROTOCOL.md 5.1).
    public static let contactPrefix = "/cable/contact/"
}
