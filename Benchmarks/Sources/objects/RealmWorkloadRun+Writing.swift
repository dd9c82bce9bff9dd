import Measurement
import Synchronization
import Travertine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension RealmWorkloadRun {
    mutating func runInsertions() throws {
        let medium = mediumCount
        if wants("insert_multiple") {
            let realm = try makeRealm()
            try time("insert_multiple", medium) {
                try realm.write { for _ in 0..<medium { realm.add(StringModel()) } }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
        if wants("insert_literal") {
            let realm = try makeRealm()
            try time("insert_literal", medium) {
                try realm.write {
                    for _ in 0..<medium { realm.create(StringModel.self, value: ["a"]) }
                }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
        if wants("insert_single_literal") {
            let realm = try makeRealm()
            let count = max(1, largeCount / 200)
            try time("insert_single_literal", count) {
                for _ in 0..<count {
                    try realm.write { realm.create(StringModel.self, value: ["a"]) }
                }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
    }

    mutating func runMutations() throws {
        try mutate("mutate_all", of: { $0 })
        try mutate("mutate_query", of: { $0.where { $0.stringCol != "b" } })
        try deleteObjects()
        guard wants("commits") else { return }
        let realm = try makeStringObjects(1)
        try time("commits", 500) {
            guard let object = realm.objects(IntModel.self).first else { return 0 }
            for number in 1...500 { try realm.write { object.intCol = number } }
            return object.intCol
        }
        try close(realm)
    }

    private mutating func mutate(
        _ name: String, of selection: (Results<StringModel>) -> Results<StringModel>
    ) throws {
        guard wants(name) else { return }
        let count = largeCount
        let realm = try makeStringObjects(count)
        let chosen = selection(realm.objects(StringModel.self)).count
        try time(name, chosen) {
            var changed = 0
            try realm.write {
                for object in selection(realm.objects(StringModel.self)) {
                    object.stringCol = "c"
                    changed += 1
                }
            }
            return changed
        }
        let found = realm.objects(StringModel.self).where { $0.stringCol == "c" }.count
        try require(found == chosen, "\(name): \(found) objects were changed, not \(chosen).")
        try close(realm)
    }

    private mutating func deleteObjects() throws {
        if wants("delete_query") {
            let realm = try makeStringObjects(mediumCount)
            try time("delete_query", 0) {
                try realm.write {
                    realm.delete(
                        realm.objects(StringModel.self)
                            .where { $0.stringCol == "a" || $0.stringCol == "b" })
                }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
        if wants("delete_manual") {
            let realm = try makeStringObjects(mediumCount)
            try time("delete_manual", 0) {
                try realm.write { realm.delete(Array(realm.objects(StringModel.self))) }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
        if wants("delete_all") {
            let realm = try makeStringObjects(largeCount)
            try time("delete_all", 0) {
                try realm.write { realm.delete(realm.objects(StringModel.self)) }
                return realm.objects(StringModel.self).count
            }
            try close(realm)
        }
    }

    mutating func runOpenings() throws {
        guard wants("open_cached", "open_uncached") else { return }
        try storeOneObject()
        let configuration = self.configuration(storeCount)
        let uncachedCount = max(1, largeCount / 200)
        try time("open_uncached", uncachedCount) {
            var opened = 0
            for _ in 0..<uncachedCount {
                let realm = try Realm(configuration: configuration)
                opened += realm.objects(StringModel.self).count
                realm.invalidate()
                try realm.store.close()
            }
            return opened
        }
        try openCached(configuration)
    }

    /// Leaves no realm open: one that a variable holds would be found again by its thread.
    private mutating func storeOneObject() throws { try close(try makeStringObjects(1)) }

    /// One thread holds a realm; this one opens it again and again.
    private mutating func openCached(_ configuration: Realm.Configuration) throws {
        guard wants("open_cached") else { return }
        let count = max(1, largeCount / 400)
        let isHeld = Atomic<Bool>(false)
        let isOver = Atomic<Bool>(false)
        let seconds = Mutex(0.0)
        try WorkerThreads.run(count: 2) { index in
            if index == 0 {
                // Whatever happens, nobody waits for ever.
                defer { isHeld.store(true, ordering: .releasing) }
                let held = try Realm(configuration: configuration)
                isHeld.store(true, ordering: .releasing)
                while !isOver.load(ordering: .acquiring) { usleep(100) }
                held.invalidate()
                try held.store.close()
            } else {
                defer { isOver.store(true, ordering: .releasing) }
                while !isHeld.load(ordering: .acquiring) { usleep(100) }
                let watch = Stopwatch()
                for _ in 0..<count {
                    let realm = try Realm(configuration: configuration)
                    realm.invalidate()
                }
                seconds.withLock { $0 = watch.seconds }
            }
        }
        note("open_cached", milliseconds: seconds.withLock { $0 } * 1000)
    }
}
