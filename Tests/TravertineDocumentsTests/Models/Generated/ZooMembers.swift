import Foundation
import RealmSwift

class ZooMembers: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var set2: Int?
    @Persisted var observe2: Int?
    @Persisted var indexes: Int?
    @Persisted var indexedProperties: Int?
    @Persisted var ignoredProperties: Int?
    @Persisted var namingPolicy: Int?
    @Persisted var shouldIncludeInDefaultSchema: Int?
    @Persisted var objectKind: Int?
    @Persisted var object: Int?
    @Persisted var memory: Int?
    @Persisted var key: Int?
    @Persisted var core: Int?
    @Persisted var table: Int?
    @Persisted var info: Int?
    @Persisted var stamp: Int?
    @Persisted var clock: Int?
    @Persisted var row: Int?
    @Persisted var places: Int?
    @Persisted var rowByteCount: Int?
    @Persisted var tracer: Int?
    @Persisted var isStaged: Int?
    @Persisted var setDynamic: Int?
    @Persisted var encode: Int?
    @Persisted var decode: Int?
    @Persisted var storage: Int?
    @Persisted var wrappedValue: Int?
    @Persisted var projectedValue: Int?
    @Persisted var `Self`: Int?
    @Persisted var description2: Int?
    @Persisted var realm2: Int?
    @Persisted var hash2: Int?
    @Persisted var hashValue2: Int?
    @Persisted var self2: Int?
    @Persisted var init2: Int?
    @Persisted var `deinit`: Int?
    @Persisted var subscript2: Int?
    @Persisted var dynamicType: Int?
    @Persisted var await: Int?
    @Persisted var async: Int?
    @Persisted var actor: Int?
    @Persisted var isolated: Int?
    @Persisted var any: Int?
    @Persisted var some: Int?
    @Persisted var lastReference2: Int?
    @Persisted var superclass: Int?
    @Persisted var id2: Int?
    @Persisted var describe: Int?
    @Persisted var isFrozen2: Int?
    @Persisted var freeze2: Int?
    @Persisted var thaw2: Int?
    @Persisted var isSameObject2: Int?
    @Persisted var isEqual2: Int?
    @Persisted var copy2: Int?
    @Persisted var detached2: Int?
    @Persisted var invalidate2: Int?
    @Persisted var parent2: Int?
    @Persisted var schema: Int?
    @Persisted var count: Int?
    @Persisted var first: Int?
    @Persisted var last: Int?
    @Persisted var lazy: Int?
    @Persisted var weak: Int?
    @Persisted var required: Int?
    @Persisted var override: Int?
    @Persisted var final: Int?
    @Persisted var mutating: Int?
    @Persisted var get: Int?
    @Persisted var willSet: Int?
    @Persisted var didSet: Int?
    @Persisted var left: Int?
    @Persisted var none: Int?
    @Persisted var prefix: Int?
    @Persisted var `Any`: Int?
    @Persisted var `nil`: Int?
    @Persisted var `super`: Int?
    @Persisted var `true`: Int?
    @Persisted var `false`: Int?
    @Persisted var `repeat`: Int?
    @Persisted var `throws`: Int?
    @Persisted var `rethrows`: Int?
    @Persisted var `inout`: Int?
    @Persisted var `operator`: Int?
    @Persisted var `extension`: Int?
    @Persisted var `protocol`: Int?
    @Persisted var _9: Int?
    @Persisted var _9lives: Int?
    @Persisted var print: Int?
    @Persisted var type: Int?
    @Persisted var value2: Int?
    @Persisted var setValue2: Int?
    @Persisted var objectSchema2: Int?
    @Persisted var className2: Int?
    @Persisted var primaryKey2: Int?
    @Persisted var objectTypeName2: Int?
    @Persisted var propertiesMapping2: Int?
    @Persisted var twoWords: String?
    @Persisted var twoWords2: String?
    @Persisted var twoWords3: String?
    @Persisted var grid: List<AnyRealmValue>
    @Persisted var maps: Map<String, AnyRealmValue>
    @Persisted var tag: ZooTag?
    @Persisted var tags: List<ZooTag>
    @Persisted var nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: Bool?

    override class func objectTypeName() -> String {
        "zoo-members"
    }

    override class func propertiesMapping() -> [String: String] {
        [
            "set2": "set",
            "observe2": "observe",
            "description2": "description",
            "realm2": "realm",
            "hash2": "hash",
            "hashValue2": "hashValue",
            "self2": "self",
            "init2": "init",
            "subscript2": "subscript",
            "lastReference2": "lastReference",
            "id2": "id",
            "isFrozen2": "isFrozen",
            "freeze2": "freeze",
            "thaw2": "thaw",
            "isSameObject2": "isSameObject",
            "isEqual2": "isEqual",
            "copy2": "copy",
            "detached2": "detached",
            "invalidate2": "invalidate",
            "parent2": "parent",
            "_9": "9",
            "_9lives": "9lives",
            "value2": "value",
            "setValue2": "setValue",
            "objectSchema2": "objectSchema",
            "className2": "className",
            "primaryKey2": "primaryKey",
            "objectTypeName2": "objectTypeName",
            "propertiesMapping2": "propertiesMapping",
            "twoWords": "two words",
            "twoWords2": "Two words",
            "twoWords3": "two-words",
        ]
    }
}
