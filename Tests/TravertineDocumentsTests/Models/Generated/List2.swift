import Foundation
import RealmSwift

class List2: Object {
    @Persisted(primaryKey: true) var _id: UUID
    @Persisted var id2: Int?
    @Persisted var self2: Int?
    @Persisted var init2: Int?
    @Persisted var `in`: Int?
    @Persisted var `func`: Int?
    @Persisted var `Self`: Int?
    @Persisted var hash2: Int?
    @Persisted var isInvalidated2: Int?
    @Persisted var realm2: Int?
    @Persisted var _2x: Int?
    @Persisted var aB2: Int?
    @Persisted var aB3: Int?
    @Persisted var aB: Int?
    @Persisted var x: Int?
    @Persisted var className2: Int?
    @Persisted var objectSchema2: Int?
    @Persisted var _9: Int?
    @Persisted var `let`: Int?
    @Persisted var some: Int?
    @Persisted var open: Int?
    @Persisted var `default`: Int?
    @Persisted var observe2: Int?
    @Persisted var freeze2: Int?
    @Persisted var thaw2: Int?
    @Persisted var value2: Int?
    @Persisted var parent2: Int?
    @Persisted var detached2: Int?
    @Persisted var x2: Int?
    @Persisted var in0: List3?
    @Persisted var in1: Map2?
    @Persisted var in2: Type9Lives?
    @Persisted var in3: Date2?

    override class func objectTypeName() -> String {
        "list"
    }

    override class func propertiesMapping() -> [String: String] {
        [
            "id2": "id",
            "self2": "self",
            "init2": "init",
            "hash2": "hash",
            "isInvalidated2": "isInvalidated",
            "realm2": "realm",
            "_2x": "2x",
            "aB2": "a-b",
            "aB3": "a_b",
            "x": "x\u{a}",
            "className2": "className",
            "objectSchema2": "objectSchema",
            "_9": "9",
            "observe2": "observe",
            "freeze2": "freeze",
            "thaw2": "thaw",
            "value2": "value",
            "parent2": "parent",
            "detached2": "detached",
            "x2": "$x",
        ]
    }
}
