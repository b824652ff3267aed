import CommandLine
import DesktopAuthenticator
import HybridTransport

/// A ceremony with another device, as a report and the table *Seen working* have it.
struct CeremonyRecord: Sendable {
    /// This machine's role.
    let role: String
    let operation: String
    /// The user's description of the other device; nil without one.
    var peer: String?
    var peerVersion: String?
    let radio: String
    /// `websocket` or `l2cap`; nil if the devices were not connected.
    let channel: String?
    /// The stages, and the milliseconds since the ceremony began.
    let stages: [(stage: Stage, at: Duration)]
    /// `success`, or the code of the failure.
    let outcome: String
    let date: String
    /// The line for the table *Seen working*; nil for a failed ceremony.
    var row: String?
    /// Observations of the other device; nil unless it is a phone that has said what it is.
    var device: DeviceFinding?

    init(
        _ role: Role, _ operation: String, radio: String, _ stages: [(stage: Stage, at: Duration)], outcome: String
    ) {
        self.role = role.rawValue
        self.operation = operation
        self.radio = radio
        self.outcome = outcome
        self.stages = stages
        let reached = Set(stages.map(\.stage))
        channel =
            reached.contains(.channelOpened)
            ? "l2cap"
            : reached.contains(.tunnelJoined) || role == .authenticator && reached.contains(.handshaken)
                ? "websocket" : nil
        date = DoctorReport.date()
    }

    /// The ceremony as a line of `--json`, and of a report.
    var json: Line {
        Line(
            "ceremony",
            [
                "role": role, "operation": operation, "peer": peer, "peer_version": peerVersion, "radio": radio,
                "channel": channel,
                "stages": stages.map {
                    ["stage": $0.stage.rawValue, "elapsed_ms": $0.at.milliseconds] as Fields
                },
                "outcome": outcome, "date": date, "row": row, "device": device?.fields,
            ])
    }

    /// The same with the other device's name and version, as the user tells them, and the line for the table.
    func told(_ peer: Peer) -> Self {
        var record = self
        record.peer = peer.name
        record.peerVersion = peer.version
        let direction =
            role == Role.client.rawValue
            ? "it is the authenticator, `hybrid client` asks" : "it is the client, `hybrid authenticator` answers"
        let over = channel == "l2cap" ? "\(radio), L2CAP" : radio
        if outcome == Self.success {
            let cells = [peer.name ?? "–", peer.version ?? "–", direction, over, date]
            record.row = "| " + cells.map(Self.cell).joined(separator: " | ") + " |"
        }
        return record
    }

    static let success = "success"

    /// The text of a table's cell.
    private static func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|")
    }

    /// The user's description of the other device.
    struct Peer: Sendable {
        let name: String?
        let version: String?
    }
}
