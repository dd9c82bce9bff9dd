// swift-tools-version: 6.2
import PackageDescription

// The connector that copies a realm to PostgreSQL. A separate package, so that the library does not
// need libpq.
//
//   swift build -c release --package-path Connectors/PostgreSQL
let package = Package(
    name: "PostgreSQLConnector",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PostgreSQLClient", targets: ["PostgreSQLClient"])
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "PostgreSQLClient", dependencies: ["CLibPQ"]),
        // What tests connect to: a server of their own, and a proxy that fails on demand.
        .target(
            name: "PostgreSQLServer", dependencies: ["CLibPQ"], path: "Tests/PostgreSQLServer"),
        .testTarget(
            name: "PostgreSQLClientTests",
            dependencies: ["PostgreSQLClient", "PostgreSQLServer"]),
    ],
    swiftLanguageModes: [.v6]
)
