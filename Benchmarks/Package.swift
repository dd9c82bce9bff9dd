// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the peers' libraries never become a dependency of a user.
let peers: [Target] = [
    .systemLibrary(
        name: "CLMDB", pkgConfig: "lmdb",
        providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
        name: "CSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
        name: "CRocksDB", pkgConfig: "rocksdb",
        providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
    // Debian's package has no pkg-config file.
    .systemLibrary(
        name: "CLevelDB", providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
]

let objects = Target.Dependency.product(name: "Travertine", package: "Travertine")
let store = Target.Dependency.product(name: "TravertineStore", package: "Travertine")

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "kv", targets: ["kv"]),
        .executable(name: "instructions", targets: ["instructions"]),
        .executable(name: "documents", targets: ["documents"]),
        .library(name: "Measurement", targets: ["Measurement"]),
    ],
    dependencies: [
        .package(name: "Travertine", path: "..")
    ],
    targets: peers + [
        .target(name: "CMeasurement"),
        .target(name: "Measurement", dependencies: ["CMeasurement"]),
        .executableTarget(
            name: "kv",
            dependencies: ["Measurement", "CLMDB", "CSQLite", "CRocksDB", "CLevelDB", store]),
        .executableTarget(name: "instructions", dependencies: ["Measurement", store, objects]),
        .executableTarget(
            name: "documents",
            dependencies: [
                objects, .product(name: "TravertineDocuments", package: "Travertine"),
            ]),
        .testTarget(name: "MeasurementTests", dependencies: ["Measurement"]),
        .testTarget(name: "kvTests", dependencies: ["kv", "Measurement"]),
    ],
    swiftLanguageModes: [.v6]
)
