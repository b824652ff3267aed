import Foundation
import VectorCases

/// Files of the repository that the tests stand in.
enum Repository {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Published numbers and recorded sessions.
    static let sources = VectorSources(path: root.appending(path: "tools/vectors/sources").path)
    /// `Vectors/`.
    static let vectors = root.appending(path: "Vectors")
}
