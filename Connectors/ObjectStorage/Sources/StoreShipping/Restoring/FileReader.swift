/// Reads which files points have. Points share lists: each is read once.
actor FileReader {
    private let reader: PointReader
    private var lists: [ListReference: Result<FileList, ShippingError>] = [:]

    init(storage: any BackupStorage) { reader = PointReader(storage: storage) }

    /// All files of a point.
    ///
    /// - Throws: `ShippingError.damaged`, `.missing`; `StorageFailure`.
    func files(of point: RestorePoint) async throws -> [ShippedFile] {
        var files: [ShippedFile] = []
        for reference in point.lists {
            files += try await list(reference, of: point.number).files
        }
        files += point.files
        let key = ObjectName.point(point.summary)
        guard Set(files.map(\.name)).count == files.count,
            files.reduce(0, { $0 + $1.byteCount }) == point.byteCount
        else { throw ShippingError.damaged(key: key, "its lists do not fit together") }
        for file in files { _ = try file.imageFile(in: key) }
        return files
    }

    private func list(_ reference: ListReference, of point: UInt64) async throws -> FileList {
        if let list = lists[reference] { return try list.get() }
        do {
            let list = try await reader.list(reference, of: point)
            lists[reference] = .success(list)
            return list
        } catch let error as ShippingError {
            lists[reference] = .failure(error)
            throw error
        }
    }

    /// Forgets lists that no point after this one needs, as the points are read in their order.
    func keepLists(of point: RestorePoint) {
        let needed = Set(point.lists)
        lists = lists.filter { needed.contains($0.key) }
    }
}
