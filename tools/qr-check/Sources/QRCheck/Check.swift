import QRCode

/// Check of every symbol.
struct Check: ~Copyable {
    private let reader: Reader
    private(set) var tally = Tally()

    init?() {
        guard let reader = Reader() else { return nil }
        self.reader = reader
    }

    /// Encodes contents, reads the symbol with zbar, and compares version and modules with libqrencode's.
    mutating func run(_ contents: [UInt8], level: QRCode.ErrorCorrectionLevel, minimumVersion: Int, label: String) {
        let theirs = PeerSymbol(of: contents, level: level, minimumVersion: minimumVersion)
        guard let ours = try? QRCode(bytes: contents.span, level: level, minimumVersion: minimumVersion) else {
            if theirs == nil {
                tally.refusedByBoth += 1
            } else {
                tally.failures.append("\(label): libqrencode encodes what we refuse")
            }
            return
        }
        tally.encoded += 1
        if isRead(ours, as: contents) {
            tally.read += 1
        } else {
            tally.failures.append("\(label): zbar does not read it: \(ours), \(contents.count) bytes")
        }
        compareVersions(ours, theirs, label: label)
        compareModules(ours, of: contents, label: label)
    }

    /// True if zbar reads exactly the contents from a picture of the code.
    private func isRead(_ code: QRCode, as contents: [UInt8]) -> Bool {
        reader.read(code, scale: scale) == [contents]
    }

    private mutating func compareVersions(_ ours: QRCode, _ theirs: PeerSymbol?, label: String) {
        guard let theirs else {
            tally.oursAlone += 1
            return
        }
        if ours.version > theirs.version {
            tally.larger += 1
            tally.failures.append("\(label): version \(ours.version), libqrencode has \(theirs.version)")
        } else if ours.version < theirs.version {
            tally.smaller += 1
        }
    }

    /// libqrencode, given our segments, must draw our symbol, module for module, with whichever mask it chooses.
    ///
    /// Its choice is not always ours: it rounds the share of dark modules to a whole per cent before it counts steps
    /// of five, where Table 11 does not.
    private mutating func compareModules(_ ours: QRCode, of contents: [UInt8], label: String) {
        guard let theirs = PeerSymbol(of: contents, as: ours), let mask = theirs.mask else {
            tally.failures.append("\(label): libqrencode cannot draw our segments")
            return
        }
        if mask == ours.mask { tally.maskedAlike += 1 }
        let remasked = try? QRCode(
            bytes: contents.span, level: ours.level, minimumVersion: ours.version, mask: mask)
        if remasked?.modules == theirs.modules {
            tally.drawnAlike += 1
        } else {
            tally.failures.append("\(label): modules differ from libqrencode's: \(ours)")
        }
    }
}

/// Pixels a module: as few as zbar reads reliably, which makes it the hardest reading and the quickest.
private let scale = 2
