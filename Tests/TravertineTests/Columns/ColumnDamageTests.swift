import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// A scan of columns reports damage as a scan of rows does, and keeps nothing of it (C-Q2, C-Q6).
@Suite("Columns of damaged rows")
struct ColumnDamageTests {
    private let directory = TemporaryDirectory()

    private func open(_ verification: Realm.Verification) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [ScannedLetter.self], durability: .unsynced)
        configuration.verification = verification
        return try Realm(configuration: configuration)
    }

    /// A store of 60 objects, one of which has a changed byte in its text.
    private func makeDamaged() throws {
        do {
            let realm = try open(.none)
            try realm.write {
                for number in 0..<60 {
                    realm.create(
                        ScannedLetter.self, value: ["number": number, "text": "letter \(number)."])
                }
            }
        }
        try directory.damage("letter 31.")
    }

    private func expectDamage(_ realm: Realm, _ comment: Comment) {
        #expect(throws: Realm.Error.self, comment) { try realm.write {} }
    }

    @Test(
        "counts and sums report it each time, and nothing is kept",
        arguments: [Realm.Verification.onFirstRead, .always])
    func reported(verification: Realm.Verification) throws {
        try makeDamaged()
        let realm = try open(verification)
        let letters = realm.objects(ScannedLetter.self)
        for round in 0..<2 {
            _ = letters.where { $0.number > 3 }.count
            expectDamage(realm, "count, \(round)")
            _ = letters.sum(of: \.number) as Int
            expectDamage(realm, "sum, \(round)")
            #expect(realm.session.shared.columns.valuesByteCount == 0, "\(round)")
        }
    }

    @Test("a realm that verifies takes nothing from one that does not")
    func otherRealm() throws {
        try makeDamaged()
        let careless = try open(.none)
        #expect(careless.objects(ScannedLetter.self).where { $0.number > 3 }.count == 56)
        let careful = try open(.onFirstRead)
        #expect(careless.session.shared === careful.session.shared)
        #expect(careful.session.shared.columns.byteCount > 0)
        _ = careful.objects(ScannedLetter.self).where { $0.number > 3 }.count
        expectDamage(careful, "count")
    }
}

class ScannedLetter: Object {
    @Persisted var number: Int
    @Persisted var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
