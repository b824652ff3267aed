/// The paths of a tunnel service, under its host's name (HT-TUN-4, HT-TUN-5, HT-TUN-13).
public enum TunnelPath {
    /// An authenticator opens a tunnel; the tunnel ID follows in 32 hexadecimal digits.
    public static let newPrefix = "/cable/new/"
    /// A client, or an authenticator that was woken, joins a tunnel; the routing ID, a slash and the tunnel ID follow
    /// in hexadecimal digits.
    public static let connectPrefix = "/cable/connect/"
    /// A client asks for its linked authenticator; the contact ID follows in base64url without padding.
    public static let contactPrefix = "/cable/contact/"
    /// An authenticator waits to be woken (TS-CON-1). This project's own addition.
    public static let listen = "/cable/listen"
}
