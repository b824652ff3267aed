internal import CQREncode
internal import Measuring
internal import QRCode

/// Encodes the same contents with this project and with libqrencode, which is the floor here: from the text to the
/// finished modules, all versions and masks open.
public func qrBenchmark() throws {
    Report.title("QR encode, against libqrencode")
    for (name, text, blockLength) in contents {
        for (level, peerLevel) in levels {
            let comparison = try Comparison(count: blockLength) { stopwatch, count in
                try stopwatch.time { for _ in 0..<count { consume(try QRCode(text: text, level: level).size) } }
            } floor: { stopwatch, count in
                stopwatch.time {
                    for _ in 0..<count {
                        let code = QRcode_encodeString(text, smallestVersion, peerLevel, QR_MODE_8, caseSensitive)
                        consume(code?.pointee.width)
                        QRcode_free(code)
                    }
                }
            }
            Report.line("\(name), level \(level.letter)", comparison, aim: halfTheTime)
        }
    }
}

private let halfTheTime = 0.5
private let smallestVersion: Int32 = 0
private let caseSensitive: Int32 = 1

private let levels: [(QRCode.ErrorCorrectionLevel, QRecLevel)] = [(.low, QR_ECLEVEL_L), (.medium, QR_ECLEVEL_M)]

private let contents: [(name: String, text: String, blockLength: Int)] = [
    (
        "invitation of 174 characters",
        """
        FIDO:/579981480029062780538056016947091360960414850614639398734392687779335352951296007377714254538236190440\
        351357777832244870064389567225832337562621831545602109321447142404
        """, 50
    ),
    ("address of 42 characters", "https://example.com/path?query=0123456789a", 50),
    ("2,331 bytes", String(repeating: "abcdefghijklmnopqrstu", count: 111), 2),
]

/// Keeps a result from being optimised away.
@inline(never)
private func consume(_ value: some Sendable) {}
