internal import CQREncode
internal import QRCode

/// Encodes the same contents with this project and with libqrencode, by turns in one run, and prints medians and
/// ratios.
public func qrBenchmark() {
    for comparison in comparisons {
        var ours: [Duration] = []
        var theirs: [Duration] = []
        for _ in 0..<roundCount {
            ours.append(meanTime { comparison.encode() })
            theirs.append(meanTime { comparison.encodeWithPeer() })
        }
        let (our, their) = (median(of: ours), median(of: theirs))
        let ratio = Double(Int(their / our * 10 + 0.5)) / 10
        print("QR encode, \(comparison.name): \(our), libqrencode \(their), \(ratio) times as fast")
    }
}

private let roundCount = 21
private let callsPerRound = 200

/// The time of one call: the mean over a round.
private func meanTime(_ body: () -> Void) -> Duration {
    ContinuousClock().measure { for _ in 0..<callsPerRound { body() } } / callsPerRound
}

private func median(of times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

/// The same task for both.
private struct Comparison {
    let name: String
    let text: String
    let level: QRCode.ErrorCorrectionLevel
    let peerLevel: QRecLevel

    func encode() {
        let code = try? QRCode(text: text, level: level)
        consume(code?.size)
    }

    func encodeWithPeer() {
        let caseSensitive: Int32 = 1
        let code = QRcode_encodeString(text, 0, peerLevel, QR_MODE_8, caseSensitive)
        consume(code?.pointee.width)
        QRcode_free(code)
    }
}

/// Keeps a result from being optimised away.
@inline(never)
private func consume(_ value: some Sendable) {}

private let comparisons = [
    Comparison(
        name: "invitation of 174 characters, level M",
        text: """
            FIDO:/5799814800290627805380560169470913609604148506146393987343926877793353529512960073777142545382361904\
            40351357777832244870064389567225832337562621831545602109321447142404
            """,
        level: .medium, peerLevel: QR_ECLEVEL_M),
    Comparison(
        name: "invitation of 174 characters, level L",
        text: """
            FIDO:/5799814800290627805380560169470913609604148506146393987343926877793353529512960073777142545382361904\
            40351357777832244870064389567225832337562621831545602109321447142404
            """,
        level: .low, peerLevel: QR_ECLEVEL_L),
    Comparison(
        name: "2,331 bytes, level M",
        text: String(repeating: "abcdefghijklmnopqrstu", count: 111), level: .medium, peerLevel: QR_ECLEVEL_M),
]
