internal import JSON

extension PublishedNumber {
    /// Of tunnel domains and URLs (PROTOCOL.md 2, 5.1).
    static let tunnel: [Self] = [
        .init("tunnel domain 0", .chromium, "domain.name", ["id": 0], gives: ["domain": "cable.ua5v.com"]),
        .init(
            "tunnel domain 1", .webauthnRS("tunnel.rs"), "domain.name", ["id": 1],
            gives: ["domain": "cable.auth.com"]),
        .init("tunnel domain 266", .chromium, "domain.name", ["id": 266], gives: ["domain": "cable.wufkweyy3uaxb.com"]),
        .init(
            "tunnel domain 63872", .webauthnRS("tunnel.rs"), "domain.name", ["id": 63872],
            gives: ["domain": "cable.my4kstlhndi4c.net"]),
        .init(
            "tunnel domain 255 is unassigned", .webauthnRS("tunnel.rs"), "domain.name", ["id": 255],
            failure: "unassigned-domain"),
        .init(
            "connect URL on cable.my4kstlhndi4c.net", .webauthnRS("discovery.rs"), "tunnel.connect-url",
            note: upperCase,
            ["domain_id": 63872, "routing_id": "090a0b", "tunnel_id": "3eef97097986413b059eaa2a30d653d4"],
            gives: ["url": "wss://cable.my4kstlhndi4c.net/cable/connect/090a0b/3eef97097986413b059eaa2a30d653d4"]),
        .init(
            "connect URL on cable.ua5v.com", .webauthnRS("discovery.rs"), "tunnel.connect-url", note: upperCase,
            ["domain_id": 0, "routing_id": "090a0b", "tunnel_id": "3eef97097986413b059eaa2a30d653d4"],
            gives: ["url": "wss://cable.ua5v.com/cable/connect/090a0b/3eef97097986413b059eaa2a30d653d4"]),
        .init(
            "connect URL on cable.auth.com", .webauthnRS("discovery.rs"), "tunnel.connect-url", note: upperCase,
            ["domain_id": 1, "routing_id": "090a0b", "tunnel_id": "3eef97097986413b059eaa2a30d653d4"],
            gives: ["url": "wss://cable.auth.com/cable/connect/090a0b/3eef97097986413b059eaa2a30d653d4"]),
        .init(
            "new-tunnel URL", .webauthnRS("discovery.rs"), "tunnel.new-url", note: "as above",
            ["domain_id": 63872, "tunnel_id": "3eef97097986413b059eaa2a30d653d4"],
            gives: ["url": "wss://cable.my4kstlhndi4c.net/cable/new/3eef97097986413b059eaa2a30d653d4"]),
    ]

    private static let upperCase = "source prints the hex in upper case; case is not significant to known servers"
}
