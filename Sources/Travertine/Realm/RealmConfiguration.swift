import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Realm {
    /// When a commit counts as done.
    public typealias Durability = TravertineStore.Durability

    /// How to open a realm.
    public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        /// The directory of the realm.
        public var fileURL: URL
        /// The version of the schema: raise it when properties come, go or change.
        public var schemaVersion: UInt64
        /// The types of objects that the realm has; nil for every class of the process.
        public var objectTypes: [ObjectBase.Type]?
        /// Runs when the stored schema has a lower version.
        public var migrationBlock: MigrationBlock?
        /// When a commit counts as done: `.commit` is on the disk before `write` returns.
        ///
        /// A realm that the thread has open already keeps the durability it was opened with.
        public var durability: Durability

        /// Called while indexes are built at opening, on the thread that opens, now and then and at
        /// the end of each type.
        public var indexBuildProgress: (@Sendable (IndexBuildProgress) -> Void)?

        /// A configuration; the default directory is `default.realm` in the current one.
        public init(
            fileURL: URL? = nil, schemaVersion: UInt64 = 0, objectTypes: [ObjectBase.Type]? = nil,
            durability: Durability = .commit, migrationBlock: MigrationBlock? = nil
        ) {
            self.migrationBlock = migrationBlock
            self.fileURL = fileURL ?? URL(fileURLWithPath: "default.realm", isDirectory: true)
            self.schemaVersion = schemaVersion
            self.objectTypes = objectTypes
            self.durability = durability
        }

        /// The configuration of `Realm()`.
        public static var defaultConfiguration: Configuration {
            get { storedDefault.withLock { $0 } }
            set { storedDefault.withLock { $0 = newValue } }
        }

        private static let storedDefault = Locked(Configuration())

        /// Compares what makes realms different: directory and schema version.
        public static func == (left: Configuration, right: Configuration) -> Bool {
            left.fileURL == right.fileURL && left.schemaVersion == right.schemaVersion
        }

        /// The directory and the schema version.
        public var description: String {
            "Realm.Configuration { fileURL = \(fileURL.path); schemaVersion = \(schemaVersion); }"
        }
    }
}

/// How far the building of a type's indexes is.
public struct IndexBuildProgress: Sendable, Hashable {
    /// The stored name of the type.
    public var typeName: String
    /// The objects that were entered so far.
    public var completedCount: Int
    /// The objects of the type.
    public var totalCount: Int
}
