import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Rows, nodes of collections and index pages that were changed on the disk.
@Suite struct DamagedRowTests {
    private let directory = TemporaryDirectory()
    private static let count = 400
    private static let damaged = 271

    private func configuration(_ verification: Realm.Verification)
        -> Realm.Configuration
    {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Letter.self], durability: .unsynced)
        configuration.verification = verification
        return configuration
    }

    private func text(_ number: Int) -> String { "text of letter \(number)." }

    private func make() throws {
        let realm = try Realm(configuration: configuration(.none))
        try realm.write {
            for number in 0..<Self.count {
                let letter = Letter(value: ["number": number, "text": text(number)])
                realm.add(letter)
            }
            realm.object(ofType: Letter.self, forPrimaryKey: 0)?.lines.append(
                objectsIn: (0..<5000).map { "line \($0) of the letter" })
        }
    }

    /// Changes a letter of a text in every segment that has it.
    private func damage(_ text: String) throws {
        var changeCount = 0
        for url in try files(".segment") {
            var bytes = try Data(contentsOf: url)
            while let place = bytes.range(of: Data(text.utf8)) {
                bytes[place.lowerBound] ^= 1
                changeCount += 1
            }
            try bytes.write(to: url)
        }
        try #require(changeCount > 0)
    }

    private func files(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: directory.url, includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasSuffix(suffix) }
    }

    /// The realm's next transaction throws an error of the realm, with the place.
    private func expectDamage(_ realm: Realm, _ comment: Comment) {
        let error = #expect(throws: Realm.Error.self, comment) { try realm.write {} }
        #expect(error?.code == .invalidDatabase, comment)
        #expect(error?.underlying?.code == .damaged, comment)
        #expect(error?.underlying?.offset != nil, comment)
        #expect(error?.underlying?.file?.hasSuffix(".segment") == true, comment)
    }

    @Test("rows are verified when they are read first, unless the configuration says otherwise")
    func byDefault() throws {
        try make()
        #expect(Realm.Configuration().verification == .onFirstRead)
    }

    @Test(
        "an object whose row is damaged is not found, and the next transaction throws",
        arguments: Realm.Verification.allCases)
    func property(verification: Realm.Verification) throws {
        try make()
        try damage(text(Self.damaged))
        let realm = try Realm(configuration: configuration(verification))
        for number in 0..<Self.count where number != Self.damaged {
            let letter = realm.object(ofType: Letter.self, forPrimaryKey: number)
            #expect(letter?.text == text(number))
        }
        try realm.write {}
        let letter = realm.object(ofType: Letter.self, forPrimaryKey: Self.damaged)
        if verification == .none {
            let changed: String = "u" + String(text(Self.damaged).dropFirst())
            #expect(letter?.text == changed)
            try realm.write {}
        } else {
            #expect(letter == nil)
            expectDamage(realm, "\(verification)")
        }
    }

    @Test(
        "loops, conditions and aggregates stop at a damaged row, and the next transaction throws",
        arguments: [Realm.Verification.onFirstRead, .always])
    func scans(verification: Realm.Verification) throws {
        try make()
        try damage(text(Self.damaged))
        let realm = try Realm(configuration: configuration(verification))
        let letters = realm.objects(Letter.self)
        func check(_ what: String, _ body: () -> Void) {
            body()
            expectDamage(realm, "\(what), \(verification)")
        }
        for _ in 0..<2 {
            check("loop") {
                var found = 0
                for letter in letters {
                    #expect(letter.text == text(found))
                    found += 1
                }
                #expect(found == Self.damaged)
            }
            check("condition") { _ = letters.where { $0.text == "nothing" }.count }
            check("sorting") { _ = letters.sorted(by: \.text).first?.text }
            check("sum") { _ = letters.sum(of: \.number) as Int }
            var found = 0
            let error = #expect(throws: (any Error).self) {
                try letters.forEachLending { letter in
                    #expect(letter.text == text(found))
                    found += 1
                }
            }
            #expect(error is StoreError || error is Realm.Error, "\(String(describing: error))")
            #expect(found == Self.damaged)
        }
    }

    @Test("a node of a large list is verified too")
    func node() throws {
        try make()
        try damage("line 2500 of the letter")
        let realm = try Realm(configuration: configuration(.onFirstRead))
        let letter = try #require(realm.object(ofType: Letter.self, forPrimaryKey: 0))
        #expect(letter.lines[0] == "line 0 of the letter")
        try realm.write {}
        #expect(letter.lines[2500] != "mine 2500 of the letter")
        expectDamage(realm, "list")
    }

    @Test("realms of two kinds of verification are two realms that share the store")
    func kinds() throws {
        try make()
        try damage(text(Self.damaged))
        let trusting = try Realm(configuration: configuration(.none))
        let checking = try Realm(configuration: configuration(.onFirstRead))
        let key = Self.damaged
        #expect(trusting.object(ofType: Letter.self, forPrimaryKey: key)?.text.isEmpty == false)
        #expect(checking.object(ofType: Letter.self, forPrimaryKey: key) == nil)
        expectDamage(checking, "checking")
        try trusting.write {}
    }

    /// A realm that could not be opened leaves nothing in the background that has the directory
    /// open.
    private func expectNobodyHasOpen(_ url: URL) {
        do {
            try Store.open(at: url.path).close()
        } catch {
            #expect(error.code != .locked, "\(error)")
        }
    }

    // An error of the index, which no user of the library knows, left `forEach` and `write`.
    @Test("whatever page of the index is damaged, errors are those of the realm")
    func pages() throws {
        try make()
        let pages = try #require(
            try files(".pages").max {
                try Data(contentsOf: $0).count < Data(contentsOf: $1).count
            })
        let pageCount = try Data(contentsOf: pages).count / 2048 - 3
        try #require(pageCount > 3)
        var failureCount = 0
        for page in 0..<pageCount {
            // A separate store: the one before may still be rebuilding its index.
            let place = TemporaryDirectory()
            let store = place.url.appendingPathComponent("store")
            try FileManager.default.copyItem(at: directory.url, to: store)
            let url = store.appendingPathComponent(pages.lastPathComponent)
            var bytes = try Data(contentsOf: url)
            bytes[4096 + page * 2048 + 40] ^= 1
            try bytes.write(to: url)
            var configuration = self.configuration(.onFirstRead)
            configuration.fileURL = store
            func check(_ body: () throws -> Void) {
                do {
                    try body()
                } catch {
                    failureCount += 1
                    let isOurs = error is Realm.Error || error is StoreError
                    #expect(isOurs, "page \(page): \(type(of: error)) \(error)")
                }
            }
            check {
                let realm = try Realm(configuration: configuration)
                let letters = realm.objects(Letter.self)
                check { try letters.forEachLending { _ = $0.text } }
                _ = letters.where { $0.text == "nothing" }.count
                check { try realm.write {} }
                for letter in letters { _ = letter.text }
                check { try realm.write {} }
                _ = letters.filter { $0.number == 7 }.count
                check { try realm.write { letters.first?.text = "new" } }
            }
            expectNobodyHasOpen(store)
        }
        #expect(failureCount > 0)
    }

    @Test("a set or list whose count its bytes contradict is damage, not a trap")
    func contradictingCount() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Knot.self, Bead.self])
        let knot = Knot(value: ["id": 1, "numbers": [1, 2], "names": ["a", "b"]])
        try realm.write { realm.add(knot) }
        let table = realm.session.table(of: Knot.self)
        for name in ["numbers", "names", "set"] {
            let slot = try #require(table.slot(named: name))
            try realm.write {
                let piece: [UInt8] = [0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0]
                try piece.withUnsafeBytes {
                    let transaction = realm.session.requireTransaction()
                    try realm.session.rowWriter(table, transaction).patch(
                        .bytes($0), at: slot, ofKey: knot.key)
                }
            }
        }
        func expectContradiction(_ body: () -> Void) {
            body()
            let error = #expect(throws: (any Error).self) { try realm.write {} }
            #expect("\(String(describing: error))".contains("contradict"))
        }
        expectContradiction { #expect(knot.numbers.count == 0) }
        expectContradiction { #expect(knot.names.isEmpty) }
        expectContradiction { #expect(knot.numbers[1] == 0) }
        expectContradiction { #expect(knot.set[3].realm == nil) }
        #expect(throws: (any Error).self) { try realm.write { knot.names.append("c") } }
    }
}

class Letter: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String
    @Persisted var lines: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
