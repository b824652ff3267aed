import Conformance
import Foundation
import Testing

/// Files of the repository that the tests stand in.
enum Repository {
    /// `Vectors/`, seen from this file.
    static let vectorsPath = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors").path

    /// Every case; none if the directory cannot be read, which a test of its own reports.
    static let vectorCases = (try? VectorDirectory(path: vectorsPath).files.flatMap(\.cases)) ?? []
}
