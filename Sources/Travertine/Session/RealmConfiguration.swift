import Locks
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Realm {
    /// When a commit counts as done.
    public typealias Durability = TravertineStore.Durability

    /// When the checksum of a row is verified that is read.
    public typealias Verification = TravertineStore.RecordVerification

    /// How to open a realm.
    public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        /// The directory of the realm; nil for one in memory.
        public var fileURL: URL? {
            didSet { if fileURL != nil { inMemoryIdentifier = nil } }
        }
        /// Names a realm that is removed with its last handle; nil for one in files.
        ///
        /// Its data lie in a temporary directory of this process and are never synced.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }
        /// The key that the realm is encrypted with, 64 random bytes; nil for one that is not.
        ///
        /// It decides what a new realm is. Opening one with another key, without its key, or with a
        /// key that it does not have throws `.invalidEncryptionKey`, and nothing is changed. A key
        /// that is lost can't be found again, and the data with it.
        public var encryptionKey: Data?
        /// Whether the realm is read-only: it shows the durable commits of the process that writes
        /// it, as of its last `refresh()`. Its classes must fit what is stored; write transactions
        /// throw.
        public var readOnly: Bool
        /// The commit that a read-only realm shows, by its log sequence number; nil for the newest.
        ///
        /// Such a realm shows the newest commit with this number or an earlier one, as long as it
        /// is open, and keeps its part of the files. Opening throws `.invalidInput` where the log
        /// no longer has all that the realm held then, because compaction has removed segments
        /// since, or where there is no such commit yet; and `.invalidDatabase` where no realm was
        /// there yet, or a type has indexes or backlinks, of which only the two newest checkpoints
        /// and the commits after the older one are kept.
        public var asOf: UInt64?
        /// The version of the schema: raise it when properties come, go or change.
        public var schemaVersion: UInt64
        /// Types without a class, and classes with more properties than they declare.
        public var objectSchemas: [ObjectSchema] = []
        /// Whether classes may leave stored properties out.
        ///
        /// What is left out stays as it is when objects change; new objects get its default, or
        /// zero. Indexes over what is left out stay, too. The primary key can't be left out.
        public var schemaSubset = false
        /// Whether values may be lost that a changed property has no place for: those of a property
        /// that was an integer and is a string, for instance, or nil in a list whose elements can't
        /// be nil any more.
        ///
        /// Without it such a change throws `.schemaMismatch` as long as any object has such a
        /// value; the message counts them. With it these values are removed, and others stay.
        public var discardsChangedProperties = false
        /// How many bytes of memory queries may keep of what they found in rows, for the process:
        /// so that the next one finds it there. 0 keeps nothing; queries then read rows each time.
        /// Nil is a sixteenth of the memory that the process can have, at least 64 MiB.
        ///
        /// Nothing is kept of types that are never searched without an index, sorted, added up, nor
        /// asked for positions. Of a number or date it is one to eight bytes for each object, of a
        /// text its bytes and two more, once for each combination of options. The first
        /// configuration that opens the realm in the process decides.
        public var queryMemoryBudget: Int?
        /// How many threads one query may use, that of its caller included, when it is the first to
        /// look at a property of a large type without an index; nil for as many as the machine has
        /// processors, at most 8, and 1 or less for the caller's alone.
        ///
        /// Types of less than 32,768 objects are always read by the caller's thread. The first
        /// configuration that opens the realm in the process decides.
        public var queryThreadCountMax: Int?
        /// Runs when the stored schema has a lower version, in the transaction that changes the
        /// schema; the article *Migrations* describes what it can do. If it throws, nothing is
        /// changed.
        public var migrationBlock: MigrationBlock?
        /// What becomes of stored objects under each version, in place of a block or before it.
        ///
        /// Versions ascend without gaps up to `schemaVersion`, also those that need no step.
        public var migrations: [MigrationVersion] = []
        /// Called while a migration goes through objects, on the thread that opens, now and then
        /// and at the end of each type.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
        /// Whether a realm that does not fit the classes is deleted, with all data, and made anew:
        /// for development. What needs no deletion (added and removed properties, and changes that
        /// keep all values, under a higher version) keeps its data; classes that break rules, and
        /// so fit no realm, delete nothing. While another process, or this one, has the realm open,
        /// opening throws `.alreadyOpen` with the holder, and nothing is deleted. A deletion that
        /// is interrupted is ended by the next opening.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Asked when the process opens the realm, with the bytes of its files and those that are
        /// live; true compacts it before it is used.
        ///
        /// The realm compacts in the background anyway: this is for the least space, once.
        public var shouldCompactOnLaunch: (@Sendable (_ total: Int, _ used: Int) -> Bool)?
        /// How many states of the realm may be in use at once; nil for any number. While there are
        /// more, beginning a write transaction throws: some realm, frozen object or snapshot is not
        /// refreshed or not released, so that old data can't be removed.
        public var maximumNumberOfActiveVersions: UInt?
        /// The types of objects that the realm has; nil for every class of the process.
        public var objectTypes: [ObjectBase.Type]?
        /// The directory of a realm that is copied when this one does not exist yet.
        public var seedFilePath: URL?
        /// When a commit counts as done: `.commit` is on the disk before `write` returns.
        ///
        /// The same realm opened with another durability is a separate `Realm` on the thread, which
        /// shares the store.
        public var durability: Durability
        /// When the checksum of a row, or of a node of a large collection, is verified that is
        /// read: `.onFirstRead` unless you say otherwise. Index pages and what is changed are
        /// always verified.
        ///
        /// A read that finds damage gives zero, nil or nothing, as a getter can't throw; the
        /// realm's next `write`, `savepoint` or `commitWrite` throws `Realm.Error` with file and
        /// offset. With `.none` damage that leaves a row's form intact is read as changed values.
        /// `.always` finds damage that comes after the first read too; a property that is read
        /// again through the same object, with no write or refresh between, is read from the row
        /// that was verified.
        ///
        /// The same realm opened with another verification is a separate `Realm` on the thread,
        /// which shares the store.
        public var verification = Verification.onFirstRead

        /// Whether `withObservationTracking` notices what it reads of the realm's objects, and is
        /// notified when that changes.
        ///
        /// Properties of objects, their collections, and results are noticed that are read inside.
        /// Each read of such a realm takes longer than one of others. The same realm opened without
        /// this is a separate `Realm` on the thread, which shares the store.
        public var tracksReads = false

        /// Called while indexes are built at opening, on the thread that opens, now and then and at
        /// the end of each type.
        public var indexBuildProgress: (@Sendable (IndexBuildProgress) -> Void)?

        /// A configuration; without a directory and an identifier it is `default.realm` in the
        /// current directory. An identifier wins over a directory.
        public init(
            fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data? = nil,
            readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil,
            deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (_ total: Int, _ used: Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil,
            durability: Durability = .commit
        ) {
            let files = fileURL ?? URL(fileURLWithPath: "default.realm", isDirectory: true)
            self.fileURL = inMemoryIdentifier == nil ? files : nil
            self.inMemoryIdentifier = inMemoryIdentifier
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
            self.durability = durability
        }

        /// Where its files are.
        var directory: URL {
            if let fileURL { return fileURL }
            return InMemoryDirectory.url(of: inMemoryIdentifier ?? "")
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

        /// Whether classes may declare less than what is stored of their types.
        var declaresParts: Bool { schemaSubset || !objectSchemas.isEmpty }

        /// The type without a class that has a name.
        func schema(withoutClass name: String) -> ObjectSchema? {
            objectSchemas.first { $0.isWithoutClass && $0.objectTypeName == name }
        }

        private static let storedDefault = Locked(Configuration())

        /// Compares what makes realms different: directory, key, schema version, whether it is only
        /// read, and as of which commit.
        public static func == (left: Configuration, right: Configuration) -> Bool {
            left.directory == right.directory && left.schemaVersion == right.schemaVersion
                && left.readOnly == right.readOnly && left.asOf == right.asOf
                && left.encryptionKey == right.encryptionKey
        }

        /// The place and the schema version; of a key that there is one.
        public var description: String {
            let location =
                inMemoryIdentifier.map { "inMemoryIdentifier = \($0)" }
                ?? "fileURL = \(directory.path)"
            let access =
                (readOnly ? " readOnly = true;" : "") + (asOf.map { " asOf = \($0);" } ?? "")
            let key = encryptionKey == nil ? "" : " encryptionKey = (not shown);"
            return
                "Realm.Configuration { \(location);\(key)\(access) schemaVersion = \(schemaVersion); }"
        }
    }
}

/// How far a migration is with the objects of a type.
public struct MigrationProgress: Sendable, Hashable {
    /// The stored name of the type.
    public var typeName: String
    /// The objects that the migration went through so far.
    public var completedCount: Int
    /// The objects that the type had before.
    public var totalCount: Int
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
