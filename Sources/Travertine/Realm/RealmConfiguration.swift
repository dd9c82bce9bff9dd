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
        /// Types without a class, and classes with more properties than they declare.
        public var objectSchemas: [ObjectSchema] = []
        /// Whether classes may leave stored properties out.
        ///
        /// What is left out stays as it is when objects change; new objects get its default, or zero.
        public var schemaSubset = false
        /// Runs when the stored schema has a lower version.
        public var migrationBlock: MigrationBlock?
        /// When a commit counts as done: `.commit` is on the disk before `write` returns.
        ///
        /// A realm that the thread has open already keeps the durability it was opened with.
        public var durability: Durability

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

        /// The schema of a class, with the properties that are added to it.
        func schema(of info: ClassInfo) -> ObjectSchema {
            let additions = objectSchemas.filter { $0.objectClass == info.type }
                .flatMap(\.additions)
            if additions.isEmpty { return ObjectSchema(info) }
            return ObjectSchema(extending: info.type, adding: additions)
        }

        /// The type without a class that has a name.
        func schema(withoutClass name: String) -> ObjectSchema? {
            objectSchemas.first { $0.isWithoutClass && $0.objectTypeName == name }
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
