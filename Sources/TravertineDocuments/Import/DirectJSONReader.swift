import Travertine
import TravertineJSON

/// Reads a document of Extended JSON into an object without making a `Document` of it.
///
/// Numbers, truth values and texts, and lists of them, go from the text into the draft; everything
/// else is read as a value first.
struct DirectJSONReader {
    var reader: ExtendedJSONReader

    init(_ reader: ExtendedJSONReader) { self.reader = reader }

    /// Takes the fields of the document that begins here.
    ///
    /// - Returns: what does not fit, if something does not; then the reader is anywhere.
    mutating func fill(_ object: ImportedObject) throws(JSONFailure) -> FieldRefusal? {
        reader.scanner.skipSpace()
        let start = reader
        guard reader.scanner.byte == UInt8(ascii: "{") else {
            throw reader.scanner.failure("a document expected")
        }
        reader.enterDocument()
        var rest = reader.scanner.open()
        var last = -1
        while try reader.scanner.hasNext(&rest) {
            try reader.scanner.beginName()
            let name = try reader.scanner.plainText()
            if name == nil || name?.first == UInt8(ascii: "$") {
                // An escape in a name, or perhaps a value in the shape of a document.
                reader = start
                return try fillSlowly(object)
            }
            let slot = name.flatMap { self.slot($0, after: last, object.plan) }
            try reader.scanner.require(UInt8(ascii: ":"), "after a name")
            reader.scanner.skipSpace()
            if let slot {
                last = slot
                if let refusal = try value(slot, object) { return refusal }
            } else {
                name.map { object.noteUnknown(String(decoding: $0, as: UTF8.self)) }
                _ = try reader.value()
            }
        }
        return Self.refusal { try object.finish() }
    }

    private mutating func fillSlowly(
        _ object: ImportedObject
    ) throws(JSONFailure) -> FieldRefusal? {
        object.clear()
        let document = try reader.document()
        return Self.refusal { try object.fill(document) }
    }

    private static func refusal(_ body: () throws -> Void) -> FieldRefusal? {
        do {
            try body()
            return nil
        } catch let error as FieldRefusal {
            return error
        } catch {
            return FieldRefusal("\(error)")
        }
    }

    private func slot(
        _ name: UnsafeRawBufferPointer, after last: Int, _ plan: ImportPlan
    ) -> Int? {
        let next = last + 1
        if next < plan.names.count, plan.names[next].elementsEqual(name) { return next }
        return plan.slot(String(decoding: name, as: UTF8.self), after: last)
    }

    // MARK: Values

    private mutating func value(
        _ slot: Int, _ object: ImportedObject
    ) throws(JSONFailure) -> FieldRefusal? {
        let field = object.plan.type.fields[slot]
        do throws(FieldRefusal) {
            try object.begin(slot)
        } catch {
            return error.below(field.name)
        }
        if field.collection == .none {
            switch try scalar(field.type, slot, object.plan) {
            case .text(let text):
                object.draft.setBytes(slot, text)
                return nil
            case .word(let word):
                object.draft.setWord(slot, word)
                return nil
            case nil: break
            }
        } else if field.collection == .list, reader.scanner.byte == UInt8(ascii: "["),
            field.type == .string || field.type == .int || field.type == .double
        {
            return try list(slot, field, object)
        }
        let value = try reader.value()
        return Self.refusal { try object.set(slot, value) }
    }

    /// A value that the draft takes as it is.
    private enum Scalar {
        case text(UnsafeRawBufferPointer)
        case word(Int64)
    }

    /// Takes a number, truth value or text of the type; nil, with nothing read, for something else.
    @inline(__always)
    private mutating func scalar(
        _ type: PropertyType, _ slot: Int, _ plan: ImportPlan
    ) throws(JSONFailure) -> Scalar? {
        switch type {
        case .string:
            guard reader.scanner.byte == UInt8(ascii: "\"") else { return nil }
            return try reader.scanner.plainText().map { .text($0) }
        case .int: return try integer(slot, plan).map { .word($0) }
        case .double: return try double().map { .word(Int64(bitPattern: $0.bitPattern)) }
        case .bool:
            let isTrue = reader.scanner.byte == UInt8(ascii: "t")
            guard isTrue || reader.scanner.byte == UInt8(ascii: "f") else { return nil }
            try reader.scanner.word(isTrue ? "true" : "false")
            return .word(isTrue ? 1 : 0)
        default: return nil
        }
    }

    private var isAtNumber: Bool {
        guard let byte = reader.scanner.byte else { return false }
        return byte == UInt8(ascii: "-") || byte &- 0x30 < 10
    }

    /// The integer that is here; nil, with nothing read, if it is something else or one that
    /// the property can't hold.
    private mutating func integer(
        _ slot: Int, _ plan: ImportPlan
    ) throws(JSONFailure) -> Int64? {
        guard isAtNumber else { return nil }
        let start = reader.scanner.offset
        if case .integer(let number) = try reader.scanner.number(),
            !plan.isNarrow[slot] || plan.ranges[slot]?.contains(number) != false
        {
            return number
        }
        reader.scanner.offset = start
        return nil
    }

    /// The number that is here; nil, with nothing read, if it is something else or an integer
    /// that a double does not keep.
    private mutating func double() throws(JSONFailure) -> Double? {
        guard isAtNumber else { return nil }
        let start = reader.scanner.offset
        switch try reader.scanner.number() {
        case .double(let number): return number
        case .integer(let number):
            if let exact = Double(exactly: number) { return exact }
        case .tooLarge: break
        }
        reader.scanner.offset = start
        return nil
    }

    private mutating func list(
        _ slot: Int, _ field: RowType.Field, _ object: ImportedObject
    ) throws(JSONFailure) -> FieldRefusal? {
        object.draft.beginElements(slot)
        var position = 0
        var rest = reader.scanner.open()
        while try reader.scanner.hasNext(&rest) {
            reader.scanner.skipSpace()
            switch try scalar(field.type, slot, object.plan) {
            case .text(let text): object.draft.addBytes(text)
            case .word(let word): object.draft.addWord(word)
            case nil:
                let value = try reader.value()
                let place = ImportedObject.Place(
                    slot: slot, isElement: true, position: position)
                let refusal = Self.refusal { try object.put(value, place) }
                if let refusal { return refusal.below(String(position)).below(field.name) }
            }
            position += 1
        }
        return Self.refusal { try object.endElements() }
    }
}
