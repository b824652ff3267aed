internal import Encodings

extension CaseFields {
    /// Reads a file that holds an object.
    ///
    /// - Throws: `unreadable`, `malformedFile`.
    package init(file path: String) throws(VectorError) {
        try self.init(parsing: Folder.contents(of: path, limit: VectorFile.maximumByteCount), name: path)
    }

    /// Parses the contents of a file that holds an object.
    ///
    /// - Throws: `malformedFile`, also for two members of one name.
    init(parsing json: [UInt8], name: String) throws(VectorError) {
        let limits = JSONLimits(byteCount: VectorFile.maximumByteCount, depth: JSONLimits.standard.depth)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: json.span, limits: limits)
        } catch {
            throw VectorError(.malformedFile, reason: "\(name): \(error.reason)", place: error.place)
        }
        guard let members = value.objectValue else {
            throw VectorError(.malformedFile, reason: "\(name) is not an object")
        }
        self.init(members)
    }
}
