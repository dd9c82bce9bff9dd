import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One round, from an image to a manifest that has it.
extension Shipper {
    /// Puts what is missing of an image, then the manifest; nil if the newest point has it.
    func ship(_ taken: TakenImage, at started: Int64) async throws -> ShippedRound? {
        let (image, source) = (taken.image, taken.source)
        guard let manifest = held?.manifest else { preconditionFailure("the backup is not held") }
        var note: String?
        if case .begins(let reason) = taken.continuity { note = reason }
        // One that was put back may have come to the same LSN by other commits.
        if taken.continuity == .precedes || note == nil && manifest.point?.lsn == image.lsn {
            if options.beginsNew, !hasShipped, !isThisPlace(manifest.pointHolder) {
                // Later starts lack this option, and the store may have another lineage then.
                try await replaceManifest { $0.pointHolder = identity }
            } else {
                try await heartbeat()
            }
            return nil
        }
        var state = note == nil ? try await loadKnown() : ShippedState()
        var histories = manifest.histories
        let number = (manifest.point?.number ?? 0) + 1
        if let note {
            let history = ShippingHistory(
                number: (histories.last?.number ?? 0) + 1, firstPoint: number, note: note,
                isPutAgain: number > 1 && options.putsAgain && !hasShipped ? true : nil)
            histories.append(history)
        }
        var figures = RoundFigures()
        let files = try await putParts(of: image, number, state, source, &figures)
        let isGrowing = Set([image.growingFile].compactMap(\.self))
        let listed = files.filter { !isGrowing.contains($0.name) }
        let references = try await putLists(of: listed, number, &state, &figures)
        state.files = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) })
        try await archive(&figures)
        let point = RestorePoint(
            number: number, history: histories.last?.number ?? 1,
            timeMilliseconds: max(taken.time, manifest.point?.timeMilliseconds ?? 0),
            lsn: image.lsn, storeUUID: image.storeUUID, lineage: HexadecimalNumber(image.lineage),
            manifest: Data(image.manifest), byteCount: files.reduce(0) { $0 + $1.byteCount },
            lists: references, files: files.filter { isGrowing.contains($0.name) })
        try await replaceManifest(knowing: state) { next in
            next.histories = histories
            next.point = point
            next.pointHolder = identity
        }
        hasShipped = true
        let round = ShippedRound(
            point: point.summary, putCount: figures.putCount + 1, byteCount: figures.byteCount,
            resumedByteCount: figures.resumedByteCount,
            milliseconds: max(0, options.now() - started))
        if let note { report(.history(number: point.history, note: note)) }
        report(.shipped(round))
        return round
    }

    /// What a round has done.
    struct RoundFigures {
        var putCount = 0
        var byteCount: UInt64 = 0
        var resumedByteCount: UInt64 = 0
    }

    // MARK: Lists, and the point before

    /// Puts the lists of files that are not those of the newest point. Gives all of them.
    private func putLists(
        of files: [ShippedFile], _ number: UInt64, _ state: inout ShippedState,
        _ figures: inout RoundFigures
    ) async throws -> [ListReference] {
        var groups: [ListGroup: [ShippedFile]] = [:]
        for file in files {
            let image = try file.imageFile(in: file.name)
            let group = ListGroup(isSegments: image.isSegment, number: image.number)
            groups[group, default: []].append(file)
        }
        var lists: [ListGroup: (list: FileList, reference: ListReference)] = [:]
        for (group, files) in groups {
            let list = FileList(files: files.sorted { $0.name < $1.name })
            if let earlier = state.lists[group], earlier.list == list {
                lists[group] = earlier
                continue
            }
            let bytes = try ObjectCoding.encode(list)
            let reference = ListReference(point: number, sha256: ContentHash(of: bytes))
            let key = ObjectName.list(reference)
            if stored?.contains(key) != true {
                _ = try await storage.put(bytes, at: key, condition: .always)
                stored?.insert(key)
                figures.putCount += 1
            }
            lists[group] = (list, reference)
        }
        state.lists = lists
        return lists.keys.sorted().compactMap { lists[$0]?.reference }
    }

    /// Puts the newest point, which the manifest has, into `points`, before another one takes its
    /// place there (U3).
    private func archive(_ figures: inout RoundFigures) async throws {
        guard let point = held?.manifest.point, archived != point.number else { return }
        _ = try await storage.put(
            try ObjectCoding.encode(point), at: ObjectName.point(point.summary),
            condition: .always)
        archived = point.number
        figures.putCount += 1
    }
}
