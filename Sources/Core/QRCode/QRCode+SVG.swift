extension QRCode {
    /// The symbol as an SVG 1.1 document, black on white with its quiet zone, all dark modules in one path.
    ///
    /// Its own size is eight pixels a module; it scales to any other without loss.
    ///
    /// - Parameter title: the text for screen readers and tooltips.
    public func svg(title: String = "QR code") -> String {
        let side = size + 2 * Self.quietZone
        let pixels = side * 8
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" version="1.1" role="img" width="\(pixels)" height="\(pixels)" \
            viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
            <title>\(title.escapedForXML)</title>
            <rect width="\(side)" height="\(side)" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }

    /// A rectangle one module high for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                var end = x
                while self[end, y] { end += 1 }
                if end > x {
                    path += "M\(x + Self.quietZone) \(y + Self.quietZone)h\(end - x)v1H\(x + Self.quietZone)z"
                }
                x = end + 1
            }
        }
        return path
    }
}

extension String {
    /// The text as XML character data; characters that XML 1.0 cannot represent become U+FFFD.
    fileprivate var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case ..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
