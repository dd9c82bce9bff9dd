// swift-tools-version: 6.2
import PackageDescription

/// The layers of the library: a target depends only on targets above it in this list.
let layers: [Target] = [
    .systemLibrary(
        name: "CLZ4", pkgConfig: "liblz4",
        providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CPlatform"),
    .target(name: "Locks"),
    .target(name: "SegmentLog", dependencies: ["CLZ4", "CPlatform", "Locks"]),
    // What it needs of swift-crypto is fetched and built for those only who ask for the trait.
    .target(
        name: "Ciphers",
        dependencies: [
            "CPlatform", "SegmentLog",
            .product(
                name: "Crypto", package: "swift-crypto",
                condition: .when(traits: ["Encryption"])),
        ]),
    .target(name: "OrderedIndex", dependencies: ["CPlatform", "Locks"]),
    // No product. What is public in it is for the command, which sees nothing else, or to be inlined.
    .target(name: "TravertineJSON"),
    .target(
        name: "TravertineStore",
        dependencies: ["CPlatform", "Ciphers", "Locks", "OrderedIndex", "SegmentLog"]),
    .target(
        name: "StoreMaintenance",
        dependencies: [
            "CPlatform", "OrderedIndex", "SegmentLog", "TravertineJSON", "TravertineStore",
        ]),
    .target(
        name: "Travertine",
        dependencies: [
            "CPlatform", "Locks", "OrderedIndex", "SegmentLog", "StoreMaintenance",
            "TravertineStore",
        ]),
    .target(name: "RealmSwift", dependencies: ["Travertine"]),
    .target(name: "TravertineDocuments", dependencies: ["Travertine", "TravertineJSON"]),
]

/// What tests share, and the programs that they start.
let testSupport: [Target] = [
    .target(name: "TestSupport", dependencies: ["Locks"], path: "Tests/TestSupport"),
    .target(
        name: "SimulatedDisk", dependencies: ["Locks", "SegmentLog", "TestSupport"],
        path: "Tests/SimulatedDisk"),
    .target(
        name: "StoreWorkload", dependencies: ["TestSupport", "TravertineStore"],
        path: "Tests/StoreWorkload"),
    .target(
        name: "StoreSimulation",
        dependencies: [
            "SegmentLog", "SimulatedDisk", "StoreMaintenance", "StoreWorkload", "TestSupport",
            "TravertineStore",
        ],
        path: "Tests/StoreSimulation"),
    .target(
        name: "StoreFixtures",
        dependencies: ["SegmentLog", "SimulatedDisk", "TestSupport", "TravertineStore"],
        path: "Tests/StoreFixtures"),
    .executableTarget(
        name: "store-simulator", dependencies: ["StoreSimulation"], path: "Tests/StoreSimulator"),
    .executableTarget(
        name: "store-crash-writer",
        dependencies: ["StoreMaintenance", "StoreWorkload", "TravertineStore"],
        path: "Tests/StoreCrashWriter"),
    .executableTarget(
        name: "main-queue-observer", dependencies: ["RealmSwift", "Travertine"],
        path: "Tests/MainQueueObserver"),
    .executableTarget(
        name: "realm-soak",
        dependencies: [
            "CPlatform", "Locks", "RealmSwift", "TestSupport", "Travertine", "TravertineStore",
        ],
        path: "Tests/Soak"),
]

let tests: [Target] = [
    .testTarget(name: "LocksTests", dependencies: ["Locks"]),
    .testTarget(name: "CiphersTests", dependencies: ["CPlatform", "Ciphers", "SegmentLog"]),
    .testTarget(name: "CPlatformTests", dependencies: ["CPlatform", "TestSupport"]),
    .testTarget(
        name: "SegmentLogTests",
        dependencies: ["CPlatform", "Locks", "SegmentLog", "SimulatedDisk", "TestSupport"]),
    .testTarget(
        name: "OrderedIndexTests", dependencies: ["CPlatform", "OrderedIndex", "TestSupport"]),
    .testTarget(name: "TravertineJSONTests", dependencies: ["TravertineJSON"]),
    .testTarget(
        name: "TravertineStoreTests",
        dependencies: [
            "Locks", "SegmentLog", "SimulatedDisk", "StoreFixtures", "StoreMaintenance",
            "StoreSimulation", "StoreWorkload", "TestSupport", "TravertineStore",
            "store-crash-writer",
        ],
        exclude: ["Golden"]),
    .testTarget(
        name: "StoreMaintenanceTests",
        dependencies: [
            "SegmentLog", "SimulatedDisk", "StoreFixtures", "StoreMaintenance", "TestSupport",
            "TravertineStore",
        ]),
    .testTarget(
        name: "TravertineTests",
        dependencies: [
            "Locks", "RealmSwift", "SimulatedDisk", "StoreFixtures", "StoreMaintenance",
            "StoreWorkload", "TestSupport", "Travertine", "TravertineStore",
            "main-queue-observer", "realm-soak", "store-crash-writer",
        ],
        exclude: ["Decimals", "Golden"]),
    .testTarget(
        name: "TravertineDocumentsTests",
        dependencies: ["RealmSwift", "TestSupport", "Travertine", "TravertineDocuments"],
        exclude: ["Data"]),
]

// MARK: What the project builds beside the library

/// What `Tools/swift` adds to the same build: "tools", "studio", "connectors", "storage", "benchmarks", "objects", "examples", "long". It is set by
/// the scripts of the project only; without it, as for everybody who depends on the package, there is the library
/// alone, which needs no package unless the trait `Encryption` is asked for. What is added sees public symbols only (`packageAccess`).
let parts = Set(
    (Context.environment["TRAVERTINE_WORKSPACE"] ?? "").split(separator: ",").map(String.init))
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

/// The command, whose target is not called `travertine`: on a file system that ignores case its module
/// would be the same file as the module of the library `Travertine`; and the example that `Tools/run`
/// shows, which `Examples/Package.swift` has too.
let tools: [Target] = [
    // The format of the files that the program `lz4` writes, which the library does not need.
    .systemLibrary(
        name: "CLZ4Frame", path: "Tools/CLZ4Frame", pkgConfig: "liblz4",
        providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .executableTarget(
        name: "TravertineCommand",
        dependencies: [
            "CLZ4Frame", "StoreMaintenance", "Travertine", "TravertineDocuments", "TravertineJSON",
            "TravertineStore",
            argumentParser,
        ],
        path: "Tools/travertine", packageAccess: false),
    .testTarget(
        name: "TravertineCommandTests",
        dependencies: [
            "RealmSwift", "TestSupport", "Travertine", "TravertineCommand", "TravertineStore",
        ],
        path: "Tools/Tests/TravertineCommandTests", packageAccess: false),
    .executableTarget(
        name: "Geonames", dependencies: ["Travertine", "TravertineStore"],
        path: "Examples/Geonames", packageAccess: false),
]

/// Travertine Studio as `Studio/Package.swift` has it, in the build of everything else.
let studio: [Target] = [
    .target(name: "StudioPage", path: "Studio/Sources/StudioPage", packageAccess: false),
    .target(
        name: "StudioServer",
        dependencies: [
            "StoreMaintenance", "StudioPage", "Travertine", "TravertineDocuments",
            "TravertineStore",
            .product(name: "FlyingSocks", package: "FlyingFox"),
        ],
        path: "Studio/Sources/StudioServer", packageAccess: false),
    .executableTarget(
        name: "travertine-studio", dependencies: ["StudioServer", "Travertine", "TravertineStore"],
        path: "Studio/Sources/StudioCommand", packageAccess: false),
    .executableTarget(
        name: "studio-sample", dependencies: ["Travertine"], path: "Studio/Tests/Sample",
        packageAccess: false),
    .testTarget(
        name: "StudioServerTests",
        dependencies: [
            "StudioPage", "StudioServer", "Travertine", "TravertineStore",
            .product(name: "FlyingSocks", package: "FlyingFox"),
        ],
        path: "Studio/Tests/StudioServerTests", packageAccess: false),
    // On the simulated disk, which the package `Studio` alone does not have.
    .testTarget(
        name: "StudioFaultTests",
        dependencies: [
            "SegmentLog", "SimulatedDisk", "StoreFixtures", "StoreMaintenance", "StudioServer",
            "TestSupport", "Travertine", "TravertineStore",
            .product(name: "FlyingSocks", package: "FlyingFox"),
        ],
        path: "Studio/Tests/StudioFaultTests"),
]

/// The connectors as their packages have them, in the build of everything else.
let connectors: [Target] = [
    .systemLibrary(
        name: "CLibPQ", path: "Connectors/PostgreSQL/Sources/CLibPQ", pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
        name: "PostgreSQLClient", dependencies: ["CLibPQ"],
        path: "Connectors/PostgreSQL/Sources/PostgreSQLClient", packageAccess: false),
    .target(
        name: "PostgreSQLSync",
        dependencies: ["PostgreSQLClient", "Travertine", "TravertineStore"],
        path: "Connectors/PostgreSQL/Sources/PostgreSQLSync", packageAccess: false),
    .executableTarget(
        name: "travertine-postgres",
        dependencies: [
            "PostgreSQLClient", "PostgreSQLSync", "Travertine", "TravertineStore", argumentParser,
        ],
        path: "Connectors/PostgreSQL/Sources/PostgreSQLCommand", packageAccess: false),
    .executableTarget(
        name: "sync-benchmark", dependencies: ["PostgreSQLClient", "Travertine", argumentParser],
        path: "Connectors/PostgreSQL/Benchmarks", packageAccess: false),
    .target(
        name: "PostgreSQLServer", dependencies: ["CLibPQ"],
        path: "Connectors/PostgreSQL/Tests/PostgreSQLServer", packageAccess: false),
    .executableTarget(
        name: "sync-writer", dependencies: ["Travertine"],
        path: "Connectors/PostgreSQL/Tests/SyncWriter", packageAccess: false),
    .executableTarget(
        name: "sync-survival",
        dependencies: [
            "PostgreSQLClient", "PostgreSQLServer", "sync-writer", "travertine-postgres",
            argumentParser,
        ],
        path: "Connectors/PostgreSQL/Tests/SyncSurvival", packageAccess: false),
    .testTarget(
        name: "PostgreSQLClientTests", dependencies: ["PostgreSQLClient", "PostgreSQLServer"],
        path: "Connectors/PostgreSQL/Tests/PostgreSQLClientTests", packageAccess: false),
    .testTarget(
        name: "PostgreSQLSyncTests",
        dependencies: [
            "PostgreSQLClient", "PostgreSQLServer", "PostgreSQLSync", "Travertine",
            "TravertineStore", "sync-survival", "travertine-postgres",
        ],
        path: "Connectors/PostgreSQL/Tests/PostgreSQLSyncTests", packageAccess: false),
]

/// The parts of the continuous backup that need no HTTP library, with their tests: a storage in
/// memory, and the simulated disk.
let shipping: [Target] = [
    .target(
        name: "StoreShipping",
        dependencies: [
            "StoreMaintenance", "TravertineStore",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Connectors/ObjectStorage/Sources/StoreShipping", packageAccess: false),
    .target(
        name: "ShippingFixtures", dependencies: ["StoreShipping"],
        path: "Connectors/ObjectStorage/Tests/ShippingFixtures", packageAccess: false),
    .testTarget(
        name: "StoreShippingTests",
        dependencies: ["ShippingFixtures", "StoreMaintenance", "StoreShipping", "TravertineStore"],
        path: "Connectors/ObjectStorage/Tests/StoreShippingTests", packageAccess: false),
    .testTarget(
        name: "ShippingSimulationTests",
        dependencies: [
            "SegmentLog", "ShippingFixtures", "SimulatedDisk", "StoreFixtures", "StoreShipping",
            "StoreWorkload", "TestSupport", "TravertineStore",
        ],
        path: "Connectors/ObjectStorage/Tests/ShippingSimulationTests"),
]

/// The rest of it as `Connectors/ObjectStorage/Package.swift` has it: the S3 client, and the program
/// `travertine-ship`. For the tests, which need no second build of the library then.
let http: [Target.Dependency] = [
    .product(name: "AsyncHTTPClient", package: "async-http-client"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let objectStorage: [Target] = [
    .target(
        name: "ObjectStorage",
        dependencies: http + [.product(name: "Crypto", package: "swift-crypto")],
        path: "Connectors/ObjectStorage/Sources/ObjectStorage", packageAccess: false),
    .executableTarget(
        name: "travertine-ship",
        dependencies: ["ObjectStorage", "StoreShipping", "TravertineStore", argumentParser],
        path: "Connectors/ObjectStorage/Sources/ShippingCommand", packageAccess: false),
    .executableTarget(
        name: "shipping-writer", dependencies: ["TravertineStore"],
        path: "Connectors/ObjectStorage/Tests/ShippingWriter", packageAccess: false),
    .target(
        name: "StorageServers", dependencies: http,
        path: "Connectors/ObjectStorage/Tests/StorageServers", resources: [.copy("Servers")],
        packageAccess: false),
    .testTarget(
        name: "ObjectStorageTests",
        dependencies: http + [
            "ObjectStorage", "StorageServers",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Connectors/ObjectStorage/Tests/ObjectStorageTests", packageAccess: false),
    .testTarget(
        name: "ShippingCommandTests",
        dependencies: [
            "StorageServers", "TravertineStore", "shipping-writer", "travertine-ship",
            .product(name: "NIOHTTP1", package: "swift-nio"),
        ],
        path: "Connectors/ObjectStorage/Tests/ShippingCommandTests", packageAccess: false),
]

/// The engines that the benchmarks compare with; `Benchmarks/install-peers` installs them.
let peers: [Target] = [
    .systemLibrary(
        name: "CLMDB", path: "Benchmarks/Sources/CLMDB", pkgConfig: "lmdb",
        providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    // The header only: SQLCipher's library has the same names, so `kv` loads the one that it needs.
    .systemLibrary(
        name: "CSQLite", path: "Benchmarks/Sources/CSQLite",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
        name: "CRocksDB", path: "Benchmarks/Sources/CRocksDB", pkgConfig: "rocksdb",
        providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
    // Debian's package has no pkg-config file.
    .systemLibrary(
        name: "CLevelDB", path: "Benchmarks/Sources/CLevelDB",
        providers: [.apt(["libleveldb-dev"]), .brew(["leveldb"])]),
]

let benchmarks: [Target] =
    peers + [
        .target(name: "CMeasurement", path: "Benchmarks/Sources/CMeasurement"),
        .target(
            name: "Measurement", dependencies: ["CMeasurement"],
            path: "Benchmarks/Sources/Measurement", packageAccess: false),
        .executableTarget(
            name: "kv",
            dependencies: [
                "CLMDB", "CLevelDB", "CRocksDB", "CSQLite", "Measurement", "StoreMaintenance",
                "TravertineStore",
            ],
            path: "Benchmarks/Sources/kv", packageAccess: false),
        .executableTarget(
            name: "instructions", dependencies: ["Measurement", "Travertine", "TravertineStore"],
            path: "Benchmarks/Sources/instructions", packageAccess: false),
        .executableTarget(
            name: "documents", dependencies: ["Travertine", "TravertineDocuments"],
            path: "Benchmarks/Sources/documents", packageAccess: false),
        .testTarget(
            name: "MeasurementTests", dependencies: ["Measurement"],
            path: "Benchmarks/Tests/MeasurementTests", packageAccess: false),
        .testTarget(
            name: "kvTests", dependencies: ["Measurement", "kv"],
            path: "Benchmarks/Tests/kvTests", packageAccess: false),
    ]

/// Apart from the other benchmarks, so that those do not fetch and build GRDB.
let objectBenchmarks: [Target] = [
    .executableTarget(
        name: "objects", dependencies: ["Measurement", "Travertine", "TravertineStore", grdb],
        path: "Benchmarks/Sources/objects", packageAccess: false)
]

/// The examples as `Examples/Package.swift` has them, in the build of everything else, which has compiled
/// the library already.
let examples: [Target] =
    ["ChatLog", "Contacts", "Misuse", "Telemetry"].map { name in
        .executableTarget(
            name: name, dependencies: ["Travertine", "TravertineStore"],
            path: "Examples/\(name)", packageAccess: false)
    }
/// The vehicle of `Examples/Fleet/run`, which needs the command and a connector, and no other example.
let fleet: [Target] = [
    .executableTarget(
        name: "Fleet", dependencies: ["Travertine"], path: "Examples/Fleet", exclude: ["run"],
        packageAccess: false)
]
let articles: [Target] = [
    .testTarget(
        name: "Articles",
        dependencies: [
            "RealmSwift", "StoreMaintenance", "Travertine", "TravertineDocuments",
            "TravertineStore",
        ],
        path: "Examples/Articles", packageAccess: false)
]

var workspaceProducts: [Product] = []
var workspacePackages: [Package.Dependency] = []
var workspaceTargets: [Target] = []
if parts.contains("tools") {
    workspaceProducts.append(.executable(name: "travertine", targets: ["TravertineCommand"]))
    workspacePackages.append(
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"))
    workspaceTargets += tools
}
if parts.contains("studio") {
    workspacePackages.append(.package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"))
    workspaceTargets += studio
}
if parts.contains("fleet") { workspaceTargets += fleet }
if parts.contains("connectors") { workspaceTargets += connectors }
if !parts.isDisjoint(with: ["connectors", "storage"]) { workspaceTargets += shipping }
if parts.contains("storage") {
    workspacePackages += [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ]
    workspaceTargets += objectStorage
}
if parts.contains("benchmarks") { workspaceTargets += benchmarks }
if parts.contains("objects") {
    workspacePackages.append(.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"))
    workspaceTargets += objectBenchmarks
}
var targets = layers + testSupport + tests + workspaceTargets
if parts.contains("long") {
    // For `Tools/test --long`. To optimise all tests as well takes an hour.
    for target in tests { target.swiftSettings = [.unsafeFlags(["-Onone"])] }
}
if parts.contains("examples") {
    // SwiftPM builds all tests or none, and those of the library not for release.
    targets = targets.filter { $0.type != .test } + examples + articles
}

let package = Package(
    name: "Travertine",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Travertine", targets: ["Travertine"]),
        .library(name: "TravertineStore", targets: ["TravertineStore"]),
        .library(name: "StoreMaintenance", targets: ["StoreMaintenance"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "TravertineDocuments", targets: ["TravertineDocuments"]),
    ] + workspaceProducts,
    traits: [
        .trait(
            name: "Encryption",
            description: "Encrypted stores. Fetches and builds swift-crypto."),
        // What the project builds for itself can do all.
        .default(enabledTraits: parts.isEmpty ? [] : ["Encryption"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
    ] + workspacePackages,
    targets: targets,
    swiftLanguageModes: [.v6]
)
