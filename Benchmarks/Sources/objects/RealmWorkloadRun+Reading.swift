import Measurement
import Travertine

extension RealmWorkloadRun {
    mutating func runEnumerations() throws {
        try enumerateResults()
        try enumerateCollections()
    }

    private mutating func enumerateResults() throws {
        guard
            wants(
                "count_where", "enumerate_query", "enumerate_all", "enumerate_ints",
                "enumerate_slow", "enumerate_ints_slow")
        else { return }
        let count = largeCount
        let half = (count + 1) / 2
        let realm = try makeStringObjects(count)
        try time("count_where", half * 50) {
            (0..<50).reduce(0) { sum, _ in
                sum + realm.objects(StringModel.self).where { $0.stringCol == "a" }.count
            }
        }
        try time("enumerate_query", half) {
            var bytes = 0
            for object in realm.objects(StringModel.self).where({ $0.stringCol == "a" }) {
                bytes += object.stringCol.utf8.count
            }
            return bytes
        }
        try time("enumerate_all", count) {
            var bytes = 0
            for object in realm.objects(StringModel.self) { bytes += object.stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_ints", half + (count - half) * 2) {
            var sum = 0
            for object in realm.objects(IntModel.self) { sum += object.intCol }
            return sum
        }
        try time("enumerate_slow", count) {
            let results = realm.objects(StringModel.self)
            var bytes = 0
            for index in 0..<results.count { bytes += results[index].stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_ints_slow", half + (count - half) * 2) {
            let results = realm.objects(IntModel.self)
            var sum = 0
            for index in 0..<results.count { sum += results[index].intCol }
            return sum
        }
        try close(realm)
    }

    private mutating func enumerateCollections() throws {
        guard
            wants(
                "enumerate_list", "enumerate_list_slow", "enumerate_set", "enumerate_set_slow",
                "enumerate_mixed")
        else { return }
        let count = largeCount
        let realm = try makeStringObjects(count)
        let owner = CollectionModel()
        try realm.write {
            realm.add(owner)
            owner.list.append(objectsIn: realm.objects(StringModel.self))
            owner.set.insert(objectsIn: realm.objects(StringModel.self))
            owner.mixed.append(objectsIn: (0..<(count / 2)).map { AnyRealmValue.int($0) })
        }
        try time("enumerate_list", count) {
            var bytes = 0
            for object in owner.list { bytes += object.stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_list_slow", count) {
            let list = owner.list
            var bytes = 0
            for index in 0..<list.count { bytes += list[index].stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_set", count) {
            var bytes = 0
            for object in owner.set { bytes += object.stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_set_slow", count) {
            let set = owner.set
            var bytes = 0
            for index in 0..<set.count { bytes += set[index].stringCol.utf8.count }
            return bytes
        }
        try time("enumerate_mixed", (0..<(count / 2)).reduce(0, +)) {
            var sum = 0
            for value in owner.mixed { sum += value.intValue ?? 0 }
            return sum
        }
        try close(realm)
    }

    mutating func runLookups() throws {
        try lookUpStrings()
        if wants("large_in") {
            let realm = try makeRealm()
            let count = mediumCount
            try realm.write { for number in 0..<count { realm.add(IntModel(number)) } }
            let values = Array((count / 2)..<count)
            try time("large_in", count / 2 * 10) {
                (0..<10).reduce(0) { sum, _ in
                    let found = realm.objects(IntModel.self).where { $0.intCol.in(values) }
                    return sum + (found.first?.intCol ?? -1)
                }
            }
            try close(realm)
        }
        if wants("sort") {
            let realm = try makeRealm()
            var stream = RandomStream(seed: 11)
            let numbers = (0..<max(1, largeCount / 125)).map { _ in
                Int(stream.next(below: 1 << 40))
            }
            try realm.write { for number in numbers { realm.add(IntModel(number)) } }
            try time("sort", (numbers.max() ?? 0) * 50) {
                (0..<50).reduce(0) { sum, _ in
                    let sorted = realm.objects(IntModel.self).sorted(byKeyPath: "intCol")
                    return sum + (sorted.last?.intCol ?? -1)
                }
            }
            try close(realm)
        }
    }

    private mutating func lookUpStrings() throws {
        if wants("lookup_unindexed") {
            let realm = try makeRealm()
            let count = max(1, largeCount / 100)
            try realm.write { for number in 0..<count { realm.add(StringModel("\(number)")) } }
            try time("lookup_unindexed", count) {
                (0..<count).reduce(0) { sum, number in
                    let text = "\(number)"
                    let found = realm.objects(StringModel.self).where { $0.stringCol == text }
                    return sum + (found.first?.stringCol == text ? 1 : 0)
                }
            }
            try close(realm)
        }
        if wants("lookup_indexed") {
            let realm = try makeRealm()
            let count = max(1, largeCount / 20)
            try realm.write {
                for number in 0..<count {
                    realm.create(IndexedStringModel.self, value: ["\(number)"])
                }
            }
            try time("lookup_indexed", count) {
                (0..<count).reduce(0) { sum, number in
                    let text = "\(number)"
                    let found = realm.objects(IndexedStringModel.self)
                        .where { $0.stringCol == text }
                    return sum + (found.first?.stringCol == text ? 1 : 0)
                }
            }
            try close(realm)
        }
    }

    mutating func runProjections() throws {
        guard wants("cast_projection", "cast_results", "access_projection") else { return }
        let count = mediumCount
        let realm = try makeStringObjects(count)
        try time("cast_projection", count * 10) {
            var made = 0
            for _ in 0..<10 {
                for object in realm.objects(StringModel.self) {
                    made += StringView(projecting: object).rootObject === object ? 1 : 0
                }
            }
            return made
        }
        try time("cast_results", count * 5) {
            (0..<5).reduce(0) { sum, _ in sum + Array(realm.objects(StringView.self)).count }
        }
        try time("access_projection", count * 3) {
            var bytes = 0
            for _ in 0..<3 {
                for view in realm.objects(StringView.self) { bytes += view.text.utf8.count }
            }
            return bytes
        }
        try close(realm)
    }
}
