// swift-tools-version: 6.2
import PackageDescription

// Apart from Benchmarks, so that building `kv` does not build GRDB.
let package = Package(
    name: "ObjectBenchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "objects", targets: ["objects"])
    ],
    dependencies: [
        .package(name: "Travertine", path: "../.."),
        .package(name: "Benchmarks", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "objects",
            dependencies: [
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
                .product(name: "Measurement", package: "Benchmarks"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
