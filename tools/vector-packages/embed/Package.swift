// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "hybrid-transport-vectors",
    products: [.library(name: "HybridTransportVectors", targets: ["HybridTransportVectors"])],
    targets: [
        .target(
            name: "HybridTransportVectors", path: ".",
            exclude: ["Cargo.toml", "README.md", "go.mod", "lib.rs", "vectors.go", "vectors_test.go"],
            sources: ["Vectors.swift"], resources: [.copy("data")])
    ])
