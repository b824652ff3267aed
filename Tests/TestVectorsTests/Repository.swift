import Conformance
import Foundation
import Testing

/// Files of the repository that the tests stand in.
enum Repository {
    /// `Vectors/`, seen from this file.
    static let vectorsPath = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors").path

    /// `Vectors/`, and the folder in it with vectors of a protocol of this project's own.
    static let vectorPaths = [vectorsPath, vectorsPath + "/passkey-exchange"]

    /// Every case; none of a directory that cannot be read, which a test of its own reports.
    static let vectorCases = vectorPaths.flatMap { path in
        (try? VectorDirectory(path: path).files.flatMap(\.cases)) ?? []
    }
}
