import Foundation
import TestPeers
import Testing

@testable import TunnelService

/// The files for operators that are installed with the service.
enum InstalledExamples {
    /// One of them.
    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../tools/installed/tunnel-service")
            .appending(path: name).standardizedFileURL
    }
}

@Suite("Files for the operator") struct InstalledExamplesTests {
    private static let metrics = Set(ServiceMetrics.help.keys).union(ProcessMetrics.help.keys)

    @Test("name metrics that there are", arguments: ["alerts.yml", "alerts.test.yml", "grafana-dashboard.json"])
    func names(file: String) throws {
        let text = try String(contentsOf: InstalledExamples.file(file), encoding: .utf8)
        let names = Set(text.matches(of: #/\b(?:tunnel_service|process)_\w+/#).map { String($0.0) })
        #expect(names.count > 5)
        for name in names {
            let base = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix).map {
                String(name.dropLast($0.count))
            }
            #expect(Self.metrics.contains(name) || base.map(Self.metrics.contains) == true, "\(name)")
        }
    }

    @Test("show every metric")
    func dashboard() throws {
        let file = InstalledExamples.file("grafana-dashboard.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let isJSON = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect((isJSON?["panels"] as? [Any])?.count ?? 0 > 10)
        for name in Self.metrics where name != "process_virtual_memory_bytes" {
            #expect(text.contains(name), "\(name)")
        }
    }

    @Test(
        "warn when they should, as Prometheus's own tool finds",
        .enabled(if: ForeignPeers.hasPromtool, "needs `promtool`"))
    func alerts() async throws {
        let ran = try await ChildProcess.run([
            "promtool", "test", "rules", InstalledExamples.file("alerts.test.yml").path(),
        ])
        #expect(ran.status == 0, "\(ran.lines)")
    }
}
