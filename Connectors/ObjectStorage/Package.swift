// swift-tools-version: 6.2
import PackageDescription

// The S3 client, and the program `travertine-ship`, which keeps a backup of a store in S3. A
// separate package, so that neither the library nor the command `travertine` needs an HTTP library.
//
//   swift build -c release --package-path Connectors/ObjectStorage
let package = Package(
    name: "ObjectStorage",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "ObjectStorage", targets: ["ObjectStorage"]),
        .library(name: "StoreShipping", targets: ["StoreShipping"]),
        .executable(name: "travertine-ship", targets: ["travertine-ship"]),
    ],
    dependencies: [
        .package(name: "Travertine", path: "../..", traits: ["Encryption"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .target(
            name: "ObjectStorage",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        // Knows nothing of S3: what it needs of a service is `BackupStorage`.
        .target(
            name: "StoreShipping",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "StoreMaintenance", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
        .executableTarget(
            name: "travertine-ship",
            dependencies: [
                "ObjectStorage", "StoreShipping",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "TravertineStore", package: "Travertine"),
            ],
            path: "Sources/ShippingCommand"),
        // What tests kill while it writes.
        .executableTarget(
            name: "shipping-writer",
            dependencies: [.product(name: "TravertineStore", package: "Travertine")],
            path: "Tests/ShippingWriter"),
        // What tests run in: an S3 server, a proxy that fails on demand, a temporary directory.
        .target(
            name: "StorageServers",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/StorageServers",
            resources: [.copy("Servers")]),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "ObjectStorage", "StorageServers",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        // A storage in memory that fails on demand.
        .target(
            name: "ShippingFixtures", dependencies: ["StoreShipping"],
            path: "Tests/ShippingFixtures"),
        // `Tests/ShippingSimulationTests` needs the simulated disk, which the package `Travertine`
        // has in the build of everything only.
        .testTarget(
            name: "StoreShippingTests",
            dependencies: [
                "ShippingFixtures", "StoreShipping",
                .product(name: "StoreMaintenance", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
        .testTarget(
            name: "ShippingCommandTests",
            dependencies: [
                "StorageServers", "shipping-writer", "travertine-ship",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
