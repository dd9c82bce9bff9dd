import TestSupport
import Testing

@testable import OrderedIndex

@Suite("Trees against a model")
struct TreePropertyTests {
    @Test(
        "inserts, overwrites and removals give what the model gives", arguments: KeyShape.allCases)
    func matchesModel(shape: KeyShape) throws {
        for seed in UInt64(1)...1 {
            var random = SeededRandom(seed: seed)
            let index = Index.make()
            var model = IndexModel()
            var known: [[UInt8]] = []
            for round in 0..<12 {
                // Growing rounds, then shrinking ones.
                let removal = round < 5 ? 10 : round < 9 ? 80 : 40
                try index.write { (writer: IndexWriter) throws -> Void in
                    for step in 0..<250 {
                        let number = round * 250 + step
                        if random.below(100) < removal, !known.isEmpty {
                            let key = known[random.below(known.count)]
                            let expected = model.values.removeValue(forKey: key)
                            #expect(try writer.remove(key) == expected, "seed \(seed)")
                        } else {
                            let key = shape.makeKey(number, &random)
                            let old = model.values.updateValue(UInt64(number), forKey: key)
                            known.append(key)
                            #expect(try writer.insert(key, UInt64(number)) == old, "seed \(seed)")
                        }
                    }
                    if round % 4 == 3 {
                        try index.expect(writer.trees[0], toBe: model, "seed \(seed) \(round)")
                    }
                }
            }
            try index.write { (writer: IndexWriter) throws -> Void in
                for key in known { try writer.remove(key) }
                #expect(writer.trees[0].height == 0)
                #expect(writer.trees[0].root.bits == 0)
            }
            try index.write { _ in }
            try index.write { _ in }
            #expect(index.statistics.liveNodeByteCount == 0, "seed \(seed)")
            #expect(index.statistics.retiredNodeByteCount == 0, "seed \(seed)")
        }
    }

    @Test("absent keys are not found", arguments: KeyShape.allCases)
    func absentKeys(shape: KeyShape) throws {
        var random = SeededRandom(seed: 7)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<1000 {
                let key = shape.makeKey(number * 2, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            for number in 0..<1000 {
                var keys = [shape.makeKey(number * 2 + 1, &random)]
                // Neighbors of real keys: longer, shorter, last byte changed.
                let real = shape.makeKey(number * 2, &random)
                keys += [real + [0], Array(real.dropLast()), real]
                for key in keys where key.count <= 512 {
                    #expect(
                        try index.reader.value(key, in: root.pointee.tree(0)) == model.values[key])
                }
            }
        }
    }

    @Test("a batch of look-ups finds what single ones find", arguments: KeyShape.allCases)
    func batches(shape: KeyShape) throws {
        let seed: UInt64 = 13
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var known: [[UInt8]] = []
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            #expect(try index.reader.values([[], [1]], in: root.pointee.tree(0)) == [nil, nil])
        }
        for round in 0..<4 {
            try index.write { (writer: IndexWriter) throws -> Void in
                for step in 0..<[1, 40, 400, 3000][round] {
                    let key = shape.makeKey(step + 5000 * round, &random)
                    known.append(key)
                    try writer.insert(key, random.next())
                }
            }
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                let tree = root.pointee.tree(0)
                for _ in 0..<100 {
                    let keys = (0..<random.below(IndexReader.batchCountMax + 1)).map { _ in
                        random.below(3) == 0
                            ? shape.makeKey(random.below(50_000), &random)
                            : known[random.below(known.count)]
                    }
                    let single = try keys.map { try index.reader.value($0, in: tree) }
                    #expect(try index.reader.values(keys, in: tree) == single, "seed \(seed)")
                }
            }
        }
    }

    @Test("a key is found for replacement only with the value that is expected")
    func expectedValues() throws {
        var random = SeededRandom(seed: 17)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            #expect(try writer.replace([1], 1, by: 2) == false)
            for number in 0..<2000 {
                let key = KeyShape.mixed.makeKey(number, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        let before = model
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for (key, value) in model.values.sorted(by: { $0.value < $1.value }) {
                if value % 3 == 0 {
                    #expect(try writer.replace(key, value, by: value + 10_000))
                    model.values[key] = value + 10_000
                } else {
                    #expect(try !writer.replace(key, value + 1, by: 0))
                    #expect(try !writer.replace(key + [0, 0, 0], value, by: 0))
                }
            }
            try index.expect(writer.trees[0], toBe: model, "after replacing")
        }
        try index.expect(pin.root.pointee.tree(0), toBe: before, "the version before")
    }

    @Test("cursors find neighbors in both directions", arguments: KeyShape.allCases)
    func cursors(shape: KeyShape) throws {
        let seed: UInt64 = 11
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<800 {
                let key = shape.makeKey(number, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        let keys = model.sortedKeys
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            var cursor = index.reader.makeCursor(over: tree)
            var backwards: [[UInt8]] = []
            var isValid = try cursor.seekToLast()
            while isValid {
                backwards.append(cursor.withKey { [UInt8]($0) })
                isValid = try cursor.previous()
            }
            #expect(backwards == keys.reversed())
            let isStillValid = cursor.isValid
            #expect(!isStillValid)
            #expect(try !cursor.previous())
            #expect(try !cursor.next())
            for step in 0..<500 {
                var probe = shape.makeKey(step * 3, &random)
                if step % 3 == 0 { probe = keys[random.below(keys.count)] }
                if step % 5 == 0 { probe = Array((probe + [0]).prefix(512)) }
                let after = keys.firstIndexSorted { !$0.lexicographicallyPrecedes(probe) }
                #expect(
                    try probe.withUnsafeBytes { try cursor.seek(atOrAfter: $0) } == (after != nil),
                    "seed \(seed)")
                if let after {
                    #expect(cursor.withKey { [UInt8]($0) } == keys[after])
                    #expect(cursor.value == model.values[keys[after]])
                    #expect(cursor.keyByteCount == keys[after].count)
                    #expect(try cursor.next() == (after + 1 < keys.count))
                    if after + 1 < keys.count {
                        #expect(cursor.withKey { [UInt8]($0) } == keys[after + 1])
                    }
                }
                let before =
                    keys.firstIndexSorted { probe.lexicographicallyPrecedes($0) }
                    .map { $0 - 1 } ?? keys.count - 1
                #expect(
                    try probe.withUnsafeBytes { try cursor.seek(atOrBefore: $0) }
                        == (before >= 0), "seed \(seed)")
                if before >= 0 {
                    #expect(cursor.withKey { [UInt8]($0) } == keys[before])
                    #expect(try cursor.previous() == (before > 0))
                }
            }
        }
    }

    @Test("a scan shows each value from its start on once before its turn", arguments: [1, 2, 3])
    func scanAskingAhead(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<3000 {
                try writer.insert(KeyShape.random16.makeKey(number, &random), UInt64(number))
            }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            let contents = try index.contents(tree)
            for start in [0, 1, 2990, 2999, random.below(3000), random.below(3000)] {
                for limit in [1, 7, 100, 4000] {
                    var cursor = index.reader.makeCursor(over: tree)
                    _ = try contents[start].key.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
                    var asked: [UInt64] = []
                    var visited: [UInt64] = []
                    try cursor.forEach { values, stride, count in
                        for place in 0..<count {
                            asked.append(
                                (values + place * stride).loadUnaligned(as: UInt64.self))
                        }
                    } _: { _, value in
                        visited.append(value)
                        #expect(asked.count >= visited.count, "seed \(seed)")
                        return visited.count < limit
                    }
                    let expected = contents[start...].map(\.value)
                    #expect(visited == Array(expected.prefix(limit)), "seed \(seed)")
                    #expect(asked == Array(expected.prefix(asked.count)), "seed \(seed)")
                    #expect(asked.count <= visited.count + 16, "seed \(seed)")
                }
            }
        }
    }

    @Test("the inner node that look-ups take the short way through is the one that is made")
    func usualInnerNode() {
        #expect(Int(Inner.usualCapacity) == NodePlan.plainCapacity(prefixByteCount: 0))
    }

    @Test("sequential keys fill their leaves")
    func sequentialKeysFillLeaves() throws {
        let index = Index.make()
        var random = SeededRandom(seed: 1)
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<20_000 {
                try writer.insert(KeyShape.sequential8.makeKey(number, &random), 1)
            }
        }
        let perKey = Double(index.statistics.liveNodeByteCount) / 20_000
        #expect(perKey < 14)
    }

    @Test("keys that come in order, a batch at a time, fill their leaves as those in any order do")
    func batchesInOrder() throws {
        func byteCountPerKey(sorts: Bool, _ makeKey: (Int, inout SeededRandom) -> [UInt8]) throws
            -> Double
        {
            let index = Index.make()
            var random = SeededRandom(seed: 2)
            for batch in 0..<4 {
                var keys = (0..<50_000).map { makeKey(batch * 50_000 + $0, &random) }
                if sorts { keys.sort { $0.lexicographicallyPrecedes($1) } }
                try index.write { (writer: IndexWriter) throws -> Void in
                    for key in keys { try writer.insert(key, 1) }
                }
            }
            return Double(index.statistics.liveNodeByteCount) / 200_000
        }
        func anywhere(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
            withUnsafeBytes(of: random.next().bigEndian) { Array($0) }
        }
        let inAnyOrder = try byteCountPerKey(sorts: false, anywhere)
        let inOrder = try byteCountPerKey(sorts: true, anywhere)
        #expect(inOrder < inAnyOrder * 1.06)

        // Each of many groups grows at its end.
        func inGroup(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
            let group = UInt32(random.below(50)) &* 0x9e37_79b9
            return withUnsafeBytes(of: group.bigEndian) { Array($0) }
                + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        }
        let inGroups = try byteCountPerKey(sorts: true, inGroup)
        #expect(inGroups < inOrder * 0.85)
    }
}
