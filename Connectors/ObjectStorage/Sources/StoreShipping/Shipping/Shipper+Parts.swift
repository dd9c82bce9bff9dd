import TravertineStore

/// The parts of a round: what is new of the files of an image, put some at a time.
extension Shipper {
    /// Something new of a file, with its place among the files of the image.
    private struct MissingRange {
        var place: Int
        var range: Range<UInt64>
        var file: BackupImage.File
        var opened: BackupSourceFile?
    }

    /// Puts what the storage does not have of the files of an image. Gives the files with all
    /// their parts.
    func putParts(
        of image: BackupImage, _ number: UInt64, _ state: ShippedState, _ source: BackupSource,
        _ figures: inout RoundFigures
    ) async throws -> [ShippedFile] {
        var files: [ShippedFile] = []
        var missing: [MissingRange] = []
        for (place, file) in image.files.enumerated() {
            let mark = HexadecimalNumber(file.mark)
            let parts = state.files[file.name]?.parts ?? []
            let plan = PartPlan(
                parts: parts, byteCount: file.byteCount, isGrowing: file.name == image.growingFile)
            files.append(
                ShippedFile(
                    name: file.name, mark: mark, parts: Array(parts[..<plan.keptCount]),
                    log: file.log.map { ShippedLog($0) }))
            missing += plan.ranges.map { MissingRange(place: place, range: $0, file: file) }
        }
        try openFiles(of: &missing, source)
        try await listStored(missing, number)
        for (place, part, start) in try await put(missing, number, source, &figures) {
            precondition(files[place].byteCount == start, "parts of a file came out of order")
            files[place].parts.append(part)
        }
        return files
    }

    /// Opens the files that something is missing of, and lets the store go on removing files;
    /// unless there are too many.
    private func openFiles(of missing: inout [MissingRange], _ source: BackupSource) throws {
        guard Set(missing.map(\.place)).count <= options.openFileCountMax else { return }
        var opened: [Int: BackupSourceFile] = [:]
        for index in missing.indices {
            let place = missing[index].place
            let file = try opened[place] ?? source.open(missing[index].file)
            opened[place] = file
            missing[index].opened = file
        }
        try source.release()
    }

    /// Finds what an interrupted round has put for a point of this number (U5).
    private func listStored(_ missing: [MissingRange], _ number: UInt64) async throws {
        guard stored == nil else { return }
        var keys: Set<String> = []
        let prefixes = Set(
            missing.map {
                ObjectName.parts(of: $0.file.name, mark: HexadecimalNumber($0.file.mark))
            })
        let few = 8
        for prefix in prefixes.count <= few ? prefixes.sorted() : [ObjectName.data] {
            try await storage.list(prefix: prefix) { item in
                if ObjectName.firstPoint(inKey: item.key) == number { keys.insert(item.key) }
            }
        }
        stored = keys
    }

    /// What became of a range.
    private struct PutResult: Sendable {
        var index: Int
        var part: ShippedPart
        var key: String
        var byteCount: Int
        var isResumed: Bool
    }

    /// Puts ranges, some at a time, and gives the parts in the order of the ranges.
    private func put(
        _ missing: [MissingRange], _ number: UInt64, _ source: BackupSource,
        _ figures: inout RoundFigures
    ) async throws -> [(place: Int, part: ShippedPart, start: UInt64)] {
        let total = missing.reduce(0) { $0 + UInt64($1.range.count) }
        var parts = [ShippedPart?](repeating: nil, count: missing.count)
        var done: UInt64 = 0
        // Shared by all tasks, and not changed as long as they run: a change would copy it.
        let existing = stored ?? []
        var added: [String] = []
        defer { stored?.formUnion(added) }
        try await withThrowingTaskGroup(of: PutResult?.self) { group in
            defer { group.cancelAll() }
            var next = 0
            var left = missing.count
            let check = options.heartbeatCheck
            // On a slow connection a part may take longer than a lease.
            func watch() {
                group.addTask {
                    try await Task.sleep(for: check)
                    return nil
                }
            }
            func add() throws {
                guard next < missing.count else { return }
                let (index, item) = (next, missing[next])
                next += 1
                let file = try item.opened ?? source.open(item.file)
                let storage = storage
                group.addTask {
                    try Task.checkCancellation()
                    let bytes = try file.bytes(item.range)
                    let part = ShippedPart(
                        point: number, end: item.range.upperBound, sha256: ContentHash(of: bytes))
                    let key = ObjectName.part(
                        part, from: item.range.lowerBound, of: item.file.name,
                        mark: HexadecimalNumber(item.file.mark))
                    let isResumed = existing.contains(key)
                    if !isResumed {
                        _ = try await storage.put(bytes, at: key, condition: .always)
                    }
                    return PutResult(
                        index: index, part: part, key: key, byteCount: bytes.count,
                        isResumed: isResumed)
                }
            }
            for _ in 0..<putCount { try add() }
            if left > 0 { watch() }
            while left > 0, let next = try await group.next() {
                guard let result = next else {
                    try await heartbeat()
                    watch()
                    continue
                }
                left -= 1
                parts[result.index] = result.part
                added.append(result.key)
                done += UInt64(result.byteCount)
                if result.isResumed {
                    figures.resumedByteCount += UInt64(result.byteCount)
                } else {
                    figures.putCount += 1
                    figures.byteCount += UInt64(result.byteCount)
                }
                report(.uploading(byteCount: done, totalByteCount: total))
                try await heartbeat()
                try add()
            }
        }
        return zip(missing, parts).map { item, part in
            guard let part else { preconditionFailure("a range was not put") }
            return (item.place, part, item.range.lowerBound)
        }
    }
}
