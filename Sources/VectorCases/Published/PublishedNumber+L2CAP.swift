internal import JSON

extension PublishedNumber {
    /// Of messages on the BLE channel (PROTOCOL.md 10).
    static let l2cap: [Self] = [
        .init(
            "L2CAP CRLF split: incomplete", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing,
            ["buffer": "68656c"],
            gives: ["messages": [], "rest": "68656c"]),
        .init(
            "L2CAP CRLF split: completed", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing,
            ["buffer": "68656c6c6f0d0a"],
            gives: ["messages": ["68656c6c6f"], "rest": ""]),
        .init(
            "L2CAP CRLF split: several", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing,
            ["buffer": "6f6e650d0a74776f0d0a746872"],
            gives: ["messages": ["6f6e65", "74776f"], "rest": "746872"]),
        .init(
            "L2CAP CRLF split: nothing", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing, ["buffer": ""],
            gives: ["messages": [], "rest": ""]),
        .init(
            "L2CAP CRLF split: empty message", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing,
            ["buffer": "0d0a72657374"],
            gives: ["messages": [""], "rest": "72657374"]),
        .init(
            "L2CAP CRLF split: binary", .libwebauthn("l2cap.rs"), "l2cap.split", note: framing, ["buffer": "00ff0d0a"],
            gives: ["messages": ["00ff"], "rest": ""]),
    ]

    private static let framing = "libwebauthn's framing; see the caution in PROTOCOL.md section 10"
}
