import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Rows")
struct RowTests {
    private static let fields = [
        Layout.Field(property: 1, type: _StoredType(.int), width: 1),
        Layout.Field(property: 2, type: _StoredType(.string, isOptional: true), width: 1),
        Layout.Field(property: 3, type: _StoredType(.double), width: 8),
        Layout.Field(property: 4, type: _StoredType(.UUID, isOptional: true), width: 1),
        Layout.Field(property: 5, type: _StoredType(.int, isOptional: true), width: 2),
        Layout.Field(property: 6, type: _StoredType(.string, collection: .list), width: 1),
        Layout.Field(property: 7, type: _StoredType(.float), width: 4),
        Layout.Field(property: 8, type: _StoredType(.objectId), width: 1),
        Layout.Field(property: 9, type: _StoredType(.bool), width: 1),
    ]

    @Test("a layout reads back from its bytes, and damaged bytes are refused or harmless")
    func layoutCoding() throws {
        for endWidth in [1, 2, 4] {
            let layout = try #require(Layout(number: 7, fields: Self.fields, endWidth: endWidth))
            let encoded = layout.encoded
            let decoded = try encoded.withUnsafeBytes { try Layout(number: 7, encoded: $0) }
            #expect(decoded == layout)
            for place in encoded.indices {
                for bit in 0..<8 {
                    var damaged = encoded
                    damaged[place] ^= 1 << bit
                    let layout = damaged.withUnsafeBytes { try? Layout(number: 7, encoded: $0) }
                    if let layout { Self.readRandomRows(layout) }
                }
                let cut = Array(encoded[..<place])
                #expect(throws: SchemaDamage.self) {
                    try cut.withUnsafeBytes { try Layout(number: 7, encoded: $0) }
                }
            }
        }
    }

    /// Reading any bytes through a layout that was accepted stays inside the row.
    private static func readRandomRows(_ layout: Layout) {
        let slots = fields.map { TableSlot(property: $0.property, type: $0.type) }
        let binding = LayoutBinding(layout, slots: slots)
        var random = SeededRandom(seed: 3)
        for count in [Int(layout.fixedByteCount), Int(layout.fixedByteCount) + 40] {
            let row = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            row.withUnsafeBytes { row in
                for slot in slots.indices {
                    guard case .bytes(let bytes) = binding.value(at: slot, in: row) else {
                        continue
                    }
                    #expect(bytes.count <= row.count)
                    if slots[slot].type.collection != .none {
                        let run = ElementRun(slots[slot].type)
                        var offset = 0
                        while let element = run.element(at: offset, in: bytes) {
                            offset = element.next
                        }
                    }
                }
            }
        }
    }

    @Test("what is encoded reads back, in every width that fits")
    func encoding() throws {
        let slots = Self.fields.map { TableSlot(property: $0.property, type: $0.type) }
        let encoder = _RowEncoder()
        for number in [0, 1, -1, 127, -128, 128, 32_767, -32_769, Int64.max, Int64.min] as [Int64] {
            var fields = Self.fields
            fields[0].width = Layout.width(of: number)
            let layout = try #require(Layout(number: 3, fields: fields, endWidth: 1))
            let binding = LayoutBinding(layout, slots: slots)
            encoder.begin(binding)
            let text = Array("text".utf8)
            text.withUnsafeBytes { text in
                for slot in binding.order {
                    switch slot {
                    case 0: encoder.put(.word(number), at: slot)
                    case 1: encoder.put(.bytes(text), at: slot)
                    case 3, 4: encoder.put(.null, at: slot)
                    case 7:
                        encoder.put(.bytes(UnsafeRawBufferPointer(rebasing: text[..<0])), at: slot)
                    case 5: encoder.put(.null, at: slot)
                    default: encoder.put(.word(1), at: slot)
                    }
                }
            }
            #expect(!encoder.hasMisfit)
            let row = Array(encoder.row)
            row.withUnsafeBytes { row in
                #expect(binding.value(at: 0, in: row)?.isSame(as: .word(number)) == true)
                #expect(binding.value(at: 3, in: row)?.isNull == true)
                #expect(binding.value(at: 4, in: row)?.isNull == true)
                text.withUnsafeBytes {
                    #expect(binding.value(at: 1, in: row)?.isSame(as: .bytes($0)) == true)
                }
            }
            if Layout.width(of: number) > 1 {
                fields[0].width /= 2
                let narrow = try #require(Layout(number: 3, fields: fields, endWidth: 1))
                encoder.begin(LayoutBinding(narrow, slots: slots))
                encoder.put(.word(number), at: 0)
                #expect(encoder.hasMisfit && encoder.neededWidths[0] == Layout.width(of: number))
            }
        }
    }

    @Test("index keys are ordered as their values")
    func indexKeyOrder() {
        func key(_ raw: _RawValue, _ type: PropertyType) -> [UInt8] {
            var key = IndexKey()
            key.set(raw, type: type)
            return key.bytes
        }
        let integers = [Int64.min, -70_000, -1, 0, 1, 255, 256, .max].map { key(.word($0), .int) }
        let numbers = [Double.nan, -.infinity, -1.5, -0.0, .leastNonzeroMagnitude, 2, .infinity].map
        {
            key(.word(Int64(bitPattern: $0.bitPattern)), .double)
        }
        let texts = ["", "\u{0}", "\u{0}\u{0}", "\u{0}a", "\u{1}", "a", "a\u{0}", "aa", "b", "é"]
            .map {
                $0._withRaw { key($0, .string) }
            }
        for keys in [integers, numbers, texts] {
            for (left, right) in zip(keys, keys.dropFirst()) {
                #expect(left.lexicographicallyPrecedes(right))
            }
            #expect(key(.null, .int).lexicographicallyPrecedes(keys[0]))
        }
        #expect(
            key(.word(Int64(bitPattern: (-0.0).bitPattern)), .double)
                == key(.word(Int64(bitPattern: (0.0).bitPattern)), .double))
    }

    @Test("a damaged row reads as zeros, and the next throwing call reports it (O13)")
    func damagedRow() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self])
        try realm.write { realm.add(Nation(value: ["PT", "Portugal"])) }
        let nation = try #require(realm.object(ofType: Nation.self, forPrimaryKey: "PT"))
        let transaction = try realm.store.beginWrite()
        try withObjectKey(nation.key) { (key) throws(StoreError) in
            try [UInt8](repeating: 0xFF, count: 30).withBytes { (value) throws(StoreError) in
                try transaction.put(rawKey: key, rawValue: value, in: nation.table.stored.rows)
            }
        }
        try transaction.commit()
        realm.refresh()
        #expect(nation.name == "")
        let error = #expect(throws: Realm.Error.self) { try realm.write {} }
        #expect(error?.code == .invalidDatabase)
        try realm.write {}
    }

    @Test("nil set in place leaves nothing of the old value")
    func nilInPlace() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Pad.self])
        let pad = Pad()
        pad.level = 77
        try realm.write { realm.add(pad) }
        try realm.write { pad.level = nil }
        #expect(pad.level == nil)
        try realm.write { pad.level = 5 }
        #expect(pad.level == 5)
    }
}
