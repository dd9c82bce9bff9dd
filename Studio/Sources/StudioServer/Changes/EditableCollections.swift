import Travertine

/// A collection with a position for each element, whose elements can be changed by it.
protocol EditableElements {
    /// Each gives false for a value of another type.
    func set(_ value: Any?, at position: Int) -> Bool
    func add(_ value: Any?) -> Bool
    func remove(at position: Int)
}

extension List: EditableElements {
    func set(_ value: Any?, at position: Int) -> Bool {
        guard let element = value as? Element else { return false }
        self[position] = element
        return true
    }

    func add(_ value: Any?) -> Bool {
        guard let element = value as? Element else { return false }
        append(element)
        return true
    }
}

extension MutableSet: EditableElements {
    func set(_ value: Any?, at position: Int) -> Bool {
        guard let element = value as? Element else { return false }
        remove(self[position])
        insert(element)
        return true
    }

    func add(_ value: Any?) -> Bool {
        guard let element = value as? Element else { return false }
        insert(element)
        return true
    }

    func remove(at position: Int) { remove(self[position]) }
}

extension RealmKeyedCollection {
    /// Puts a value under a key; false for a value of another type.
    func put(_ value: Any?, under key: String) -> Bool {
        guard let value = value as? Value else { return false }
        updateValue(value, forKey: Key(_text: key))
        return true
    }

    func removeEntry(under key: String) { removeObject(for: Key(_text: key)) }
}
