import TravertineStore

extension RealmCollection where Element: ObjectBase {
    /// The elements that are nearest to a point by the place of a property, the nearest one first,
    /// with their distances.
    ///
    /// ```swift
    /// let here = GeoPoint(latitude: 38.71, longitude: -9.14)!
    /// for (shop, distance) in shops.nearest(to: here, by: \.place, limit: 10) {
    ///     print(shop.name, distance.asKilometers())
    /// }
    /// ```
    /// Elements without a point are left out; of several points of one element the nearest counts.
    /// Elements at one distance are in the order of their keys. Sorting counts for nothing; limits
    /// and `distinct` come first.
    ///
    /// With `@Persisted(indexed: .geo)` the search goes around the point in growing rings, and
    /// costs about what it finds, and a test of the condition for each object on the way. Where few
    /// objects fulfil the condition, and without an index, all that fulfil it are looked at.
    ///
    /// - Parameters:
    ///   - point: from where distances are measured.
    ///   - keyPath: a link to an embedded point, or a list of them, perhaps at the end of other
    ///     links.
    ///   - limit: the most elements that are found.
    ///   - distance: how far away they may be.
    public func nearest<Value: _QueryLink>(
        to point: GeoPoint, by keyPath: KeyPath<Element, Value>, limit: Int,
        within distance: Distance? = nil
    ) -> [(object: Element, distance: Distance)] where Value._Target: EmbeddedObject {
        nearest(
            to: point, byKeyPath: KeyPathTracer.requiredName(of: keyPath as PartialKeyPath),
            limit: limit, within: distance)
    }
}

extension RealmCollection {
    /// The elements that are nearest to a point by the place of a property, by its name, as
    /// ``nearest(to:by:limit:within:)``. Stops with a message for a property that leads to no
    /// points.
    public func nearest(
        to point: GeoPoint, byKeyPath keyPath: String, limit: Int, within distance: Distance? = nil
    ) -> [(object: Element, distance: Distance)] {
        require(limit >= 0, "A limit of \(limit) is not possible: it is 0 or more.")
        return _results.nearest(to: point, KeyPathSteps.path(of: keyPath), limit, distance)
    }
}

extension Results {
    fileprivate func nearest(
        to point: GeoPoint, _ path: PropertyPath, _ limit: Int, _ distance: Distance?
    ) -> [(object: Element, distance: Distance)] {
        state.read([]) {
            let readers = state.tables.map { table in
                let reader = PointReader(PropertyReader.required(path, table))
                require(
                    reader.leadsToPoints,
                    "'\(path)' of \(table.className) leads to no points: name a link to a "
                        + "CanonicalGeoPoint, or to an embedded object that stores a string 'type' "
                        + "and a list of doubles 'coordinates'.")
                return reader
            }
            var nearest = NearestRows(limit: limit, within: distance?.radians ?? .infinity)
            if limit > 0 { try state.findNearest(to: point, readers, &nearest) }
            return try nearest.sorted.compactMap { found in
                let table = state.tables[found.part]
                let access = try state.session.access
                guard let row = try access.value(forKey: found.key, in: table.rows),
                    let element = makeIfPossible(
                        FoundRow(key: found.key, bytes: row, part: found.part)),
                    let distance = Distance.radians(found.distance)
                else { return nil }
                return (element, distance)
            }
        }
    }
}

extension ResultsState {
    /// Offers the results, or at least those that are taken of them.
    fileprivate func findNearest(
        to center: GeoPoint, _ readers: [PointReader], _ nearest: inout NearestRows
    ) throws {
        _ = try session.access
        if source != nil || isCurrent || descriptors.leavesOutRows {
            let parts = tables
            try forEachResult { row in
                if row.isElement { return }
                let part = Int(row.part)
                let binding = try parts[part].binding(of: row.bytes)
                try readers[part].offer(
                    row.key, row.bytes, binding, part: part, from: center, to: &nearest)
            }
            return
        }
        for (part, state) in ([self] + derived).enumerated() {
            let reader = readers[part]
            if try state.findNearestByIndex(to: center, reader, part: part, &nearest) { continue }
            try state.forEachMatch { key, row in
                try reader.offer(
                    key, row, try state.table.binding(of: row), part: part, from: center,
                    to: &nearest)
                return true
            }
        }
    }

    /// Offers the matches of this table by an index of places; false, and nothing is offered, if
    /// there is none, or if it is better to look at all matches.
    private func findNearestByIndex(
        to center: GeoPoint, _ reader: PointReader, part: Int, _ nearest: inout NearestRows
    ) throws -> Bool {
        guard !QueryPlanning.isScanOnly, let slot = reader.directSlot,
            let index = table.rules.indexes.first(where: {
                $0.kind == .places && $0.slots[0] == slot
            })
        else { return false }
        let rings = NearestRings(index.keyspace, try session.access, center, part: part)
        guard let condition = readyCondition() else {
            return try rings.find(&nearest) { _ in true }
        }
        let plan = try Planner.plan(condition.condition, table)
        if plan.path != nil {
            // Of so many matches all are looked at, or so many objects on the way to the nearest.
            let matchCount = Double(max(1, plan.candidateCount.count))
            let visitCount = Double(nearest.limit) * Double(plan.rowCount) / matchCount
            if matchCount < visitCount, !QueryPlanning.prefersIndexes { return false }
        }
        var left = max(1024, plan.rowCount / 16)
        let before = nearest
        let isFound = try rings.find(&nearest) { key in
            left -= 1
            if left < 0, !QueryPlanning.prefersIndexes { return nil }
            session.noteVisit(.row)
            guard let row = try session.access.value(forKey: key, in: table.rows) else {
                return false
            }
            return try condition.test.matches(row, try table.binding(of: row), key)
        }
        if !isFound { nearest = before }
        return isFound
    }
}

extension PointReader {
    /// Offers an object at the distance of its nearest point, if it has one.
    fileprivate func offer(
        _ key: UInt64, _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, part: Int,
        from center: GeoPoint, to nearest: inout NearestRows
    ) throws {
        var least = Double.infinity
        _ = try any(row, binding, key) { point in
            least = min(least, center.angle(to: point))
            return false
        }
        if least.isFinite {
            nearest.offer(NearestRows.Entry(distance: least, part: part, key: key))
        }
    }
}
