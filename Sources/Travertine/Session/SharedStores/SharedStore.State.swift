import TravertineStore

/// The state of a shared store, which one lock guards.
extension SharedStore {
    /// What the realms of a store share, inside its lock.
    struct State: @unchecked Sendable {
        var schema: StoredSchema { didSet { linkingProperties = [:] } }
        /// What `linkingProperties(to:)` found in the schema.
        var linkingProperties: [String: [(type: UInt32, property: UInt32)]] = [:]
        var classes: [String: ClassInfo] = [:]
        /// Every class that realms were opened with, by the stored name of its type.
        var openedClasses: [String: [ClassInfo]] = [:]
        /// Stored names of classes that fit because something beside them declared the rest, or
        /// because they may leave properties out: without that they are compared again.
        var partialClasses: Set<String> = []
        /// The realm of each confinement. Not weak references: those would make every handle that
        /// is made and dropped pay for them. A realm removes itself when it is released (`forget`);
        /// its handles are used where it is confined, so that none is looked up during that.
        var sessions: [SessionKey: Unmanaged<RealmSession>] = [:]

        /// Takes a schema that a transaction stored. Types that a later transaction of another
        /// thread changed or added stay as that left them: types are never removed.
        mutating func take(_ schema: StoredSchema) {
            var schema = schema
            for index in schema.types.indices {
                let newest = self.schema.types.first { $0.number == schema.types[index].number }
                if let newest, newest.isLater(than: schema.types[index]) {
                    schema.types[index] = newest
                }
            }
            for type in self.schema.types where type.number >= schema.nextType {
                schema.types.append(type)
            }
            schema.nextType = max(schema.nextType, self.schema.nextType)
            self.schema = schema
        }

        /// The classes that realms were opened with for a type, the last one after the others.
        func classInfos(storedName: String) -> [ClassInfo] {
            let others = (openedClasses[storedName] ?? []).filter { $0 !== classes[storedName] }
            return others + (classes[storedName].map { [$0] } ?? [])
        }

        mutating func enter(_ classes: [ClassInfo], arePartial: Bool) {
            for info in classes {
                self.classes[info.storedName] = info
                if openedClasses[info.storedName]?.contains(where: { $0 === info }) != true {
                    openedClasses[info.storedName, default: []].append(info)
                }
            }
            let names = classes.map(\.storedName)
            if arePartial {
                partialClasses.formUnion(names)
            } else {
                partialClasses.subtract(names)
            }
        }
    }

    struct SessionKey: Hashable {
        var confinement: Confinement.Key
        /// Nil without a list, which is another realm than one with an empty list.
        var classes: Set<ObjectIdentifier>?
        /// The types that it has beside those of classes, in words.
        var schemas: [String]
        /// What its commits wait for.
        var durability: Durability
        /// What its reads verify.
        var verification: RecordVerification
        /// Whether what is read is tracked.
        var tracksReads: Bool
    }
}
