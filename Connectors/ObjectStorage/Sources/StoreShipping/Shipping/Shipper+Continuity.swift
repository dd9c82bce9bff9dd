import TravertineStore

/// What an image is to the newest point (U6).
enum Continuity: Equatable {
    /// It goes on from it: parts of the one may serve the other.
    case continues
    /// A history begins with it, for this reason.
    case begins(String)
    /// It is older, and the files have the log of the point too: after a power cut the file `lock`
    /// may say less than what is durable, until a writer opens the store.
    case precedes
}

/// Whether an image goes on from the newest point (U6).
extension Shipper {
    /// What an image is to the newest point.
    ///
    /// - Throws: `ShippingError.otherStore`, `.copy`, `.otherMachine`, unless that is wanted.
    func continuity(
        of image: BackupImage, from source: BackupSource
    ) async throws -> Continuity {
        guard let manifest = held?.manifest, let point = manifest.point else {
            return .begins("the first point")
        }
        if image.storeUUID != point.storeUUID {
            guard options.beginsNew else {
                throw ShippingError.otherStore(found: point.storeUUID, expected: image.storeUUID)
            }
            return .begins("another store, \(image.storeUUID)")
        }
        try checkIsNoCopy(manifest.pointHolder)
        if image.lineage == point.lineage.value, image.lsn < point.lsn,
            try await hasLog(of: point, after: image, source)
        {
            return .precedes
        }
        if options.putsAgain, !hasShipped { return .begins("everything was to be put again") }
        if image.lineage != point.lineage.value {
            return try begins(
                "the store was restored, copied, or put back to an older state", after: manifest)
        }
        if image.lsn < point.lsn {
            return try begins("the store was put back to an older state", after: manifest)
        }
        let known: [String: ShippedFile]
        do {
            known = try await loadKnown().files
        } catch ShippingError.missing, ShippingError.damaged {
            return .begins("a list of the newest point was missing or damaged")
        }
        let files = Dictionary(uniqueKeysWithValues: image.files.map { ($0.name, $0) })
        var shared: [(known: ShippedFile, file: BackupImage.File)] = []
        for (name, file) in files {
            guard let earlier = known[name] else { continue }
            let isContinued =
                earlier.mark.value == file.mark && earlier.byteCount <= file.byteCount
                && (file.isSegment || earlier.byteCount == file.byteCount)
            guard isContinued else {
                return try begins("another file \(name): the store was put back", after: manifest)
            }
            shared.append((earlier, file))
        }
        return try differs(shared, known, source)
            ? begins("the store was put back and changed", after: manifest) : .continues
    }

    /// A history of a store that is not what the newest point was made of. It may be that store,
    /// put back to an older state, only on the machine that put the point; elsewhere it may be a
    /// copy, whose original is still shipped (U6b).
    private func begins(
        _ reason: String, after manifest: ShippingManifest
    ) throws(ShippingError) -> Continuity {
        guard options.beginsNew || isThisMachine(manifest.pointHolder) else {
            throw .otherMachine(manifest.pointHolder.map { describe($0) })
        }
        return .begins(reason)
    }

    /// Throws where the newest point is of a store at another path of this machine that is there
    /// still: one of the two is a copy of the other (U6b).
    private func checkIsNoCopy(_ holder: ShipperIdentity?) throws(ShippingError) {
        guard !options.beginsNew, isThisMachine(holder), let other = holder?.directory,
            StoreDirectory(path).isApart(fromStoreAt: other)
        else { return }
        throw .copy(of: other)
    }

    /// Whether a shipper of the store at this path ran on this machine, as far as that is known.
    func isThisPlace(_ holder: ShipperIdentity?) -> Bool {
        isThisMachine(holder) && holder?.directory == identity.directory
    }

    /// Whether a shipper ran on this machine, as far as that is known.
    func isThisMachine(_ holder: ShipperIdentity?) -> Bool {
        guard let holder else { return false }
        if holder.id == identity.id { return true }
        if let machine = options.machine, holder.machine == machine { return true }
        return options.boot.map { holder.boot == $0 } ?? false
    }

    /// Whether the files have the log of a point from where an older image of the same lineage
    /// ends. A store that was put back has other bytes there, or none.
    private func hasLog(
        of point: RestorePoint, after image: BackupImage, _ source: BackupSource
    ) async throws -> Bool {
        var segments = point.files.filter(\.isSegment)
        do {
            segments = try await loadKnown().files.values.filter(\.isSegment)
        } catch ShippingError.missing, ShippingError.damaged {
            // What the point itself says is the last one of them.
        }
        // Names have the numbers in ten digits, so their order is that of the log.
        let later = segments.filter { $0.name >= image.growingFile ?? "" }
        for segment in later where try !hasBytes(of: segment, in: source) { return false }
        return !later.isEmpty
    }

    /// Whether a file of the store, which an image needs not have, has all parts of one of a point.
    private func hasBytes(of file: ShippedFile, in source: BackupSource) throws -> Bool {
        let entry = try file.imageFile(in: file.name)
        do throws(StoreError) {
            let opened = try source.open(entry)
            for located in file.locatedParts {
                let bytes = try opened.bytes(located.start..<located.part.end)
                if ContentHash(of: bytes) != located.part.sha256 { return false }
            }
        } catch {
            guard [.notFound, .damaged].contains(error.code) else { throw error }
            return false
        }
        return true
    }

    /// Whether a segment has other bytes than its parts: all of them at the first round, and where
    /// the store was opened anew since; else the last one.
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
        if !isContinuityCertain, compared.isEmpty { compared = segments }
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
