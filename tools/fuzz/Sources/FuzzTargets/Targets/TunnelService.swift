extension FuzzTarget {
    static let tunnelService = FuzzTarget(
        "tunnel-service", "several peers' HTTP, WebSocket and contact bytes, and what is left when they are gone"
    ) { input in
        let service = try EmbeddedService()
        while !input.isEmpty { try service.step(&input) }
        try service.end()
    }
}
