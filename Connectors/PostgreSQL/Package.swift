// swift-tools-version: 6.2
import PackageDescription

// The program `travertine-postgres`, which copies a realm to a server that speaks PostgreSQL's
// protocol. A separate package, so that neither the library nor the command `travertine` needs
// libpq.
//
//   swift build -c release --package-path Connectors/PostgreSQL
let package = Package(
    name: "PostgreSQLConnector",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PostgreSQLClient", targets: ["PostgreSQLClient"]),
        .library(name: "PostgreSQLSync", targets: ["PostgreSQLSync"]),
        .executable(name: "travertine-postgres", targets: ["travertine-postgres"]),
    ],
    dependencies: [
        .package(name: "Travertine", path: "../..", traits: ["Encryption"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "PostgreSQLClient", dependencies: ["CLibPQ"]),
        .target(
            name: "PostgreSQLSync",
            dependencies: [
                "PostgreSQLClient",
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
        .executableTarget(
            name: "travertine-postgres",
            dependencies: [
                "PostgreSQLClient", "PostgreSQLSync",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ],
            path: "Sources/PostgreSQLCommand"),
        // What measures how fast, and how late, changes come to the server.
        .executableTarget(
            name: "sync-benchmark",
            dependencies: [
                "PostgreSQLClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Travertine", package: "Travertine"),
            ],
            path: "Benchmarks"),
        // What tests connect to: a separate server, and a proxy that fails on demand.
        .target(
            name: "PostgreSQLServer", dependencies: ["CLibPQ"], path: "Tests/PostgreSQLServer"),
        // What tests kill.
        .executableTarget(
            name: "sync-writer",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Tests/SyncWriter"),
        .executableTarget(
            name: "sync-survival",
            dependencies: [
                "PostgreSQLClient", "PostgreSQLServer", "sync-writer", "travertine-postgres",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/SyncSurvival"),
        .testTarget(
            name: "PostgreSQLClientTests",
            dependencies: ["PostgreSQLClient", "PostgreSQLServer"]),
        .testTarget(
            name: "PostgreSQLSyncTests",
            dependencies: [
                "PostgreSQLClient", "PostgreSQLServer", "PostgreSQLSync", "sync-survival",
                "travertine-postgres",
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
