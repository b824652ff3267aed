/// Result of a part of the check.
struct Tally: Sendable, CustomStringConvertible {
    /// Symbols that we made.
    var encoded = 0
    /// Contents that neither we nor libqrencode could encode.
    var refusedByBoth = 0
    /// Symbols that zbar read, byte for byte.
    var read = 0
    /// Symbols that libqrencode draws alike, module for module, from the same segments.
    var drawnAlike = 0
    /// Symbols for which libqrencode chose the same mask.
    var maskedAlike = 0
    /// Symbols of a smaller version than libqrencode's own.
    var smaller = 0
    /// Symbols of a larger version than libqrencode's own.
    var larger = 0
    /// Symbols whose contents libqrencode could not encode.
    var oursAlone = 0
    /// The failures.
    var failures: [String] = []

    /// True if all symbols were read and drawn alike, and nothing else was wrong.
    func isClean(count: Int) -> Bool {
        failures.isEmpty && encoded == count && read == count && drawnAlike == count
    }

    var description: String {
        """
        \(encoded) encoded, \(read) read by zbar, \(drawnAlike) drawn alike by libqrencode \
        (\(maskedAlike) with the same choice of mask); \
        version smaller than libqrencode's own \(smaller) times, larger \(larger) times, \
        \(oursAlone) only we can encode, \(refusedByBoth) refused by both; \(failures.count) failures
        """
    }

    static func + (left: Tally, right: Tally) -> Tally {
        Tally(
            encoded: left.encoded + right.encoded, refusedByBoth: left.refusedByBoth + right.refusedByBoth,
            read: left.read + right.read, drawnAlike: left.drawnAlike + right.drawnAlike,
            maskedAlike: left.maskedAlike + right.maskedAlike, smaller: left.smaller + right.smaller,
            larger: left.larger + right.larger,
            oursAlone: left.oursAlone + right.oursAlone, failures: left.failures + right.failures)
    }
}
