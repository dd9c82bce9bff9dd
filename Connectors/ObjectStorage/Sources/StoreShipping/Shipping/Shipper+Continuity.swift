import TravertineStore

/// Whether an image goes on from the newest point, so that parts of the one may serve the other
/// (U6).
extension Shipper {
    /// Files with a last part of up to so many bytes are compared in each round.
    private static let comparedByteCountMax: UInt64 = 256 << 10

    /// Why the image does not go on from the newest point, so that a history begins; nil if it
    /// does.
    ///
    /// - Throws: `ShippingError.otherStore`, unless that is wanted.
    func discontinuity(
        of image: BackupImage, from source: BackupSource
    ) async throws -> String? {
        guard let point = held?.manifest.point else { return "the first point" }
        if image.storeUUID != point.storeUUID {
            guard options.beginsNew else {
                throw ShippingError.otherStore(found: point.storeUUID, expected: image.storeUUID)
            }
            return "another store, \(image.storeUUID)"
        }
        if options.putsAgain, !hasShipped { return "everything was to be put again" }
        if image.lineage != point.lineage.value {
            return "the store was restored, copied, or put back to an older state"
        }
        if image.lsn < point.lsn { return "the store was put back to an older state" }
        let known: [String: ShippedFile]
        do {
            known = try await loadKnown().files
        } catch ShippingError.missing, ShippingError.damaged {
            return "a list of the newest point was missing or damaged"
        }
        let files = Dictionary(uniqueKeysWithValues: image.files.map { ($0.name, $0) })
        var shared: [(known: ShippedFile, file: BackupImage.File)] = []
        for (name, file) in files {
            guard let earlier = known[name] else { continue }
            let isContinued =
                earlier.mark.value == file.mark && earlier.byteCount <= file.byteCount
                && (file.isSegment || earlier.byteCount == file.byteCount)
            guard isContinued else { return "another file \(name): the store was put back" }
            shared.append((earlier, file))
        }
        return try differs(shared, known, source) ? "the store was put back and changed" : nil
    }

    /// Whether a segment has other bytes than its parts: all of them at the first round, later the
    /// last one.
    ///
    /// Of the segments that a store which was put back to an older state has in common with the
    /// point, only the one that it then appended to can differ: the others were sealed before, or
    /// have other salts. It is the last one of the point, or that one is gone or has another salt.
    private func differs(
        _ shared: [(known: ShippedFile, file: BackupImage.File)],
        _ known: [String: ShippedFile], _ source: BackupSource
    ) throws -> Bool {
        let newest = known.keys.filter { $0.hasSuffix(".segment") }.max()
        let segments = shared.filter { $0.file.isSegment }
        var compared = segments.filter { $0.known.name == newest }
        if isContinuityCertain {
            compared = compared.filter { segment in
                guard let last = segment.known.locatedParts.last else { return false }
                return last.part.end - last.start <= Self.comparedByteCountMax
            }
        } else if compared.isEmpty {
            compared = segments
        }
        for (earlier, file) in compared {
            // At first all of it: what was written again may end with the same bytes.
            let parts = earlier.locatedParts
            for located in isContinuityCertain ? parts.suffix(1) : parts[...] {
                let bytes = try source.open(file).bytes(located.start..<located.part.end)
                if ContentHash(of: bytes) != located.part.sha256 { return true }
            }
        }
        isContinuityCertain = true
        return false
    }

    /// What the newest point says of files, read if that was not done yet.
    func loadKnown() async throws -> ShippedState {
        if let known { return known }
        var state = ShippedState()
        if let point = held?.manifest.point {
            let lists = try await PointReader(storage: storage).lists(of: point)
            for (reference, list) in zip(point.lists, lists) {
                let key = ObjectName.list(reference)
                var group: ListGroup?
                for file in list.files {
                    let image = try file.imageFile(in: key)
                    group = ListGroup(isSegments: image.isSegment, number: image.number)
                    state.files[file.name] = file
                }
                if let group { state.lists[group] = (list, reference) }
            }
            for file in point.files { state.files[file.name] = file }
        }
        known = state
        return state
    }
}
