/// Reads manifests, points and lists, and checks them.
struct PointReader: Sendable {
    private static let readCountMax = 3

    let storage: any BackupStorage

    /// The manifest and its state; nil if there is none.
    func manifest() async throws -> (manifest: ShippingManifest, tag: StorageTag)? {
        do {
            let content = try await storage.get(
                ObjectName.manifest, byteCountMax: ObjectCoding.byteCountMax)
            return (try ObjectCoding.manifest(content.bytes), content.tag)
        } catch StorageFailure.notFound {
            return nil
        }
    }

    /// The points that are not the newest, by their numbers.
    func archivedPoints(before number: UInt64) async throws -> [PointSummary] {
        var found: [PointSummary] = []
        try await storage.list(prefix: ObjectName.points) { item in
            if let point = ObjectName.summary(inPointKey: item.key), point.number < number {
                found.append(point)
            }
        }
        return found.sorted { $0.number < $1.number }
    }

    /// A point that is not the newest.
    func point(_ summary: PointSummary) async throws -> RestorePoint {
        let key = ObjectName.point(summary)
        do {
            let content = try await storage.get(key, byteCountMax: ObjectCoding.byteCountMax)
            let point = try ObjectCoding.decode(RestorePoint.self, content.bytes, key: key)
            guard point.summary == summary else {
                throw ShippingError.damaged(key: key, "it is another point")
            }
            return point
        } catch StorageFailure.notFound {
            throw ShippingError.missing(key: key, point: summary.number)
        }
    }

    /// The lists of a point, in its order.
    func lists(of point: RestorePoint) async throws -> [FileList] {
        var lists: [FileList] = []
        for reference in point.lists {
            lists.append(try await list(reference, of: point.number))
        }
        return lists
    }

    func list(_ reference: ListReference, of point: UInt64) async throws -> FileList {
        let key = ObjectName.list(reference)
        let bytes = try await content(
            key, sha256: reference.sha256, byteCountMax: ObjectCoding.byteCountMax, point: point)
        return try ObjectCoding.decode(FileList.self, bytes, key: key)
    }

    /// An object whose hash is known. A wrong answer may be right the next time.
    func content(
        _ key: String, sha256: ContentHash, byteCountMax: Int, point: UInt64
    ) async throws -> [UInt8] {
        for _ in 0..<Self.readCountMax {
            do {
                let bytes = try await storage.get(key, byteCountMax: byteCountMax).bytes
                if ContentHash(of: bytes) == sha256 { return bytes }
            } catch StorageFailure.notFound {
                throw ShippingError.missing(key: key, point: point)
            } catch StorageFailure.tooLarge {
                throw ShippingError.damaged(key: key, "it is larger than it may be")
            }
        }
        throw ShippingError.damaged(key: key, "its content has another checksum")
    }
}
