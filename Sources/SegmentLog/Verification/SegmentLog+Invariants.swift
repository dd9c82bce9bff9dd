#if DEBUG
    /// Checks of what must hold of an open log (rules 1 to 9); for tests.
    extension SegmentLog {
        /// Checks what the log knows of itself against its rules (Documentation/Engine.md, 2), and
        /// returns what is wrong, each with the number of the rule.
        ///
        /// For tests, after each step of a random history: touches no file. The writing thread.
        package func checkInvariants() -> [String] {
            guard writer.isRecovered else { return [] }
            return writerProblems() + batchProblems() + chainProblems()
        }

        private func writerProblems() -> [String] {
            var problems: [String] = []
            func check(_ holds: Bool, _ problem: String) {
                if !holds { problems.append(problem) }
            }
            let (durable, written) = (durableLSN, writtenLSN)
            check(durable <= written, "rule 6: LSN \(durable) is durable, \(written) is written")
            check(
                written == nextLSN.previous,
                "rule 1: LSN \(written) is written, \(nextLSN) is the next")
            if let active = writer.active {
                check(active.header.impossibility == nil, "rule 2: the active header can't be")
                check(
                    (SegmentHeader.byteCount...active.byteCount).contains(active.tail)
                        && active.tail % RecordLayout.alignment == 0,
                    "rule 5: the active segment ends at \(active.tail)")
                check(
                    active.header.firstLSN <= nextLSN,
                    "rule 1: the active segment begins with \(active.header.firstLSN)")
                check(
                    UInt64(active.header.number.rawValue) < writer.nextNumber,
                    "rule 2: the active segment has a number that is not used up")
                check(writer.resumable == nil, "rule 3: two segments can be appended to")
            }
            if let spare = writer.spare {
                check(
                    UInt64(spare.number.rawValue) < writer.nextNumber
                        && summaries.withLock { $0[spare.number] } == nil,
                    "rule 8: the spare, \(spare.number), is a part of the log")
            }
            for number in writer.unreachable where summaries.withLock({ $0[number] }) != nil {
                problems.append("rule 2: segment \(number) is unreachable and a part of the log")
            }
            return problems
        }

        private func batchProblems() -> [String] {
            let state = batch.pointee
            guard state.count > 0 else {
                return state.limit == 0 ? [] : ["rule 5: no batch has room for \(state.limit)"]
            }
            var problems: [String] = []
            if !writer.isInTransaction { problems.append("rule 4: a batch without a transaction") }
            if writer.transactionFirstLSN > nextLSN {
                problems.append("rule 1: the transaction begins with \(writer.transactionFirstLSN)")
            }
            if state.count > state.limit || state.count < BatchHeader.byteCount {
                problems.append("rule 5: the batch has \(state.count) of \(state.limit) bytes")
            }
            if state.segment != writer.active?.header.number.rawValue
                || state.segmentOffset != writer.active?.tail
            {
                problems.append(
                    "rule 5: the batch begins at \(state.segment):\(state.segmentOffset)")
            }
            if BatchHeader(decoding: state.base)?.lsn != nextLSN {
                problems.append("rule 1: the batch has another LSN than \(nextLSN)")
            }
            return problems
        }

        private func chainProblems() -> [String] {
            var problems: [String] = []
            let segments = segments
            let known = summaries.withLock { $0 }
            for segment in segments {
                if segment.lastLSN < segment.firstLSN.previous
                    || segment.endOffset > segment.byteCount
                {
                    problems.append("rule 1: segment \(segment.number) ends before it begins")
                }
                let before = segment.predecessor
                guard before.number != .none else { continue }
                guard let found = known[before.number] else {
                    let isRetired = writer.retirementTable?.contains(before.number) ?? false
                    if segment.number != segments.first?.number, !isRetired {
                        problems.append("rule 9: segment \(before.number) is missing")
                    }
                    continue
                }
                if found.salt != before.salt || found.endOffset != before.endOffset
                    || found.number >= segment.number
                {
                    problems.append("rule 2: segment \(segment.number) follows another")
                }
                if found.lastLSN != before.lastLSN || segment.firstLSN != found.lastLSN.next {
                    problems.append("rule 1: segment \(segment.number) does not go on")
                }
            }
            return problems
        }
    }
#endif
