import TravertineStore

/// Key paths as they are given to `observe`, read and checked.
enum ObservedPaths {
    /// The paths of texts; nil for none given. Stops for one that a type lacks.
    static func paths(_ texts: [String]?, of table: TableState) -> [PropertyPath]? {
        guard let texts else { return nil }
        return texts.map { text in
            do throws(QueryProblem) {
                let path = try path(text)
                try WatchedNode(table).add(path)
                return path
            } catch {
                misuse("Can't observe '\(text)': \(error.message)")
            }
        }
    }

    /// The paths of texts that are looked for in values of any type, whose objects can be of any.
    static func paths(_ texts: [String]?) -> [PropertyPath]? {
        guard let texts else { return nil }
        return texts.map { text in
            do throws(QueryProblem) {
                return try path(text)
            } catch {
                misuse("Can't observe '\(text)': \(error.message)")
            }
        }
    }

    private static func path(_ text: String) throws(QueryProblem) -> PropertyPath {
        try KeyPathSteps.checkedPath(of: text)
    }

    /// The names of key paths from an object.
    static func names<Root: ObjectBase>(_ keyPaths: [PartialKeyPath<Root>]) -> [String] {
        keyPaths.map { KeyPathTracer.requiredName(of: $0) }
    }
}

extension RealmSession {
    /// Begins an observation that reports the first state before changes.
    func observe(_ observation: Observation) -> NotificationToken {
        add(observation)
        return NotificationToken(observation)
    }

    /// Begins an observation of what differs from the state that is shown; in a transaction, from
    /// that before the transaction.
    func observeChanges(_ observation: Observation) -> NotificationToken {
        add(observation)
        do {
            observation.note(try scope.versions?.before ?? shownVersion())
        } catch {
            // The first delivery reports nothing, and begins with what is shown then.
            damage = error
        }
        return NotificationToken(observation)
    }

    private func add(_ observation: Observation) {
        requireLive()
        checkThread()
        if let transaction, scope.versions == nil {
            do {
                // There is no note: the transaction may have changed something already.
                let base = try transaction.baseSnapshot(verification: configuration.verification)
                scope.versions = (try newestSnapshot(), base)
            } catch {
                fail(error)
            }
        }
        observations.add(observation)
    }
}
