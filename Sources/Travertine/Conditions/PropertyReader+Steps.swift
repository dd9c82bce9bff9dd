import TravertineStore

/// How a reader goes into lists and dictionaries of a value of any type.
extension PropertyReader {
    /// Whether values are followed with their storage.
    var isStepping: Bool { keepsStorage || countsContents || !steps.isEmpty }

    func visitElement(_ body: (_RawValue) throws -> Bool) throws -> Bool {
        guard let element else { return false }
        guard isStepping, let storage = element.storage else { return try body(element.raw) }
        return try descend(steps, element.raw, storage, body)
    }

    /// Follows steps into the collections of a value of any type. What is not there is null; of
    /// each element of what is no collection there is none.
    func descend(
        _ steps: ArraySlice<PropertyPath.Step>, _ value: _RawValue, _ storage: CollectionStorage,
        _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        guard let step = steps.first else {
            if keepsStorage { self.storage = storage }
            if !countsElements { return try body(value) }
            return try body(.word(countsContents ? try elementCount(value, storage) : 1))
        }
        if step == .type { return try visitTypeName(value, body) }
        let leadsToMany = step == .each || step == .keys || step == .values
        let rest = steps.dropFirst()
        // What follows a collection that is not there is nil, or no value if it would be many.
        func visitMissing() throws -> Bool {
            if leadsToMany || rest.contains(where: \.leadsToMany) { return false }
            return try body(countsElements ? .word(countsContents ? 0 : 1) : .null)
        }
        guard let (kind, nested) = try nested(value, storage) else { return try visitMissing() }
        func descend(_ selection: Selection) throws -> Bool {
            try visit(selection, nested) { try self.descend(rest, $0, nested, body) }
        }
        switch (step, kind) {
        case (.each, _), (.values, .map): return try descend(.each)
        case (.keys, .map):
            if countsElements { return try body(.word(Int64(try nested.count()))) }
            return try visitKeys(nested, body)
        case (.position(let position), .list): return try descend(.position(position))
        case (.first, .list): return try descend(.position(0))
        case (.last, .list): return try descend(.last)
        case (.key(let key), .map): return try descend(.key(Array(key.utf8)))
        default: return try visitMissing()
        }
    }

    /// The list or dictionary that a value is.
    private func nested(
        _ value: _RawValue, _ storage: CollectionStorage
    ) throws -> (CollectionKind, CollectionStorage)? {
        guard case .bytes(let bytes) = value,
            case .collection(let kind, let number)? = MixedCode.reference(in: bytes)
        else { return nil }
        let nested = storage.nested(kind, number)
        guard nested.nesting?.depth ?? 0 <= MixedCode.depthMax, try nested.isPresent() else {
            return nil
        }
        return (kind, nested)
    }

    private func elementCount(_ value: _RawValue, _ storage: CollectionStorage) throws -> Int64 {
        guard let (_, nested) = try nested(value, storage) else { return 0 }
        return Int64(try nested.count())
    }

    private func visitTypeName(
        _ value: _RawValue, _ body: (_RawValue) throws -> Bool
    ) throws -> Bool {
        guard case .bytes(let bytes) = value, let name = MixedCode.typeName(of: bytes) else {
            return try body(.null)
        }
        return try Array(name.utf8).withUnsafeBytes { try body(.bytes($0)) }
    }
}

extension MixedCode {
    /// The name of a stored value's type; nil for no value.
    fileprivate static func typeName(of bytes: UnsafeRawBufferPointer) -> String? {
        switch bytes.first {
        case nil: nil
        case listTag: "list"
        case dictionaryTag: "dictionary"
        case let tag?: PropertyType(rawValue: Int(tag) - 1)?.description
        }
    }
}
