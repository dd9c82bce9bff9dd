/// The objects of `data` that kept points refer to, with the points that need each.
struct ExpectedObjects {
    struct Object {
        var sha256: ContentHash
        var byteCount: UInt64
        /// The first and the last kept point that refers to it.
        var points: ClosedRange<UInt64>
        var isListed = false
    }

    private(set) var objects: [String: Object] = [:]
    private(set) var byteCount: UInt64 = 0

    /// Adds the parts of the files of a point. Points are added by their numbers.
    mutating func add(_ files: [ShippedFile], of point: UInt64) {
        for file in files {
            for (part, start, key) in file.locatedParts {
                if let known = objects[key] {
                    objects[key]?.points = known.points.lowerBound...point
                    continue
                }
                let object = Object(
                    sha256: part.sha256, byteCount: part.end - start, points: point...point)
                objects[key] = object
                byteCount += object.byteCount
            }
        }
    }

    /// Notes an object that the storage has; a finding if it has another size, and nil if no point
    /// refers to it.
    mutating func note(_ item: StoredItem) -> (isKnown: Bool, finding: CheckFinding?) {
        guard let object = objects[item.key] else { return (false, nil) }
        objects[item.key]?.isListed = true
        guard item.byteCount != object.byteCount else { return (true, nil) }
        let message = "it has \(item.byteCount) bytes, not \(object.byteCount)"
        return (true, object.finding(.wrongSize, item.key, message))
    }

    /// Those that the storage does not have, in the order of their keys.
    var missing: [CheckFinding] {
        objects.filter { !$0.value.isListed }.sorted { $0.key < $1.key }.map { key, object in
            object.finding(.missing, key, "it is not there")
        }
    }
}

extension ExpectedObjects.Object {
    func finding(_ kind: CheckFinding.Kind, _ key: String, _ message: String) -> CheckFinding {
        CheckFinding(
            kind: kind, key: key, message: message, firstPoint: points.lowerBound,
            lastPoint: points.upperBound)
    }
}
