#if DEBUG
    // Compiled into debug builds only: tests call it after random histories. What holds of each
    // tree is in Index+Invariants.swift, which verification needs in every build.

    extension Index {
        /// The newest committed root, published or not; the caller keeps write transactions away.
        package var newestRoot: UnsafePointer<RootHeader> { committed }

        /// Checks what must hold of versions, pins and memory between two write transactions (the
        /// invariants at the head of `Index`), and returns what is wrong.
        ///
        /// Reads every node of the newest version that is in memory. The caller keeps write
        /// transactions away.
        /// - Throws: `IndexFailure` when a page is damaged.
        package func checkVersions() throws -> [String] {
            var problems: [String] = []
            let newest = newestVersion
            if publishedVersion > newest {
                problems.append("version \(publishedVersion) is published, \(newest) is the newest")
            }
            if newest > lastStamp {
                problems.append("version \(newest) is beyond the counter, \(lastStamp)")
            }
            for version in heldVersions() ?? [] where version > newest {
                problems.append("version \(version) is held, \(newest) is the newest")
            }
            for (version, _) in pins where version > publishedVersion {
                problems.append("version \(version) is pinned, \(publishedVersion) is published")
            }
            var nodeCount = 0
            var keyCount = 0
            for number in 0..<newestRoot.pointee.treeCount {
                let tree = newestRoot.pointee.tree(number)
                keyCount += Int(tree.count)
                if tree.height == 0 { continue }
                try countNodes(
                    below: tree.root.bits, level: Int(tree.height) - 1, of: newest, &nodeCount,
                    &problems)
            }
            // A node that is neither reachable nor waiting was lost; one that is both is freed too
            // early.
            let waiting = reclamation.nodeCount
            if nodeCount + waiting != memory.usedCount {
                problems.append(
                    "\(memory.usedCount) nodes are in use; the newest version has \(nodeCount), "
                        + "and \(waiting) wait to be freed")
            }
            if keyCount != statistics.keyCount {
                problems.append(
                    "\(statistics.keyCount) keys are counted, the trees say \(keyCount)")
            }
            return problems
        }

        /// Counts the nodes in memory at and below a node. Below a page there are only pages (N6).
        private func countNodes(
            below bits: UInt64, level: Int, of newest: UInt64, _ count: inout Int,
            _ problems: inout [String]
        ) throws {
            if bits >> 63 == 1 { return }
            count += 1
            let node = try reader.node(bits, level: level)
            if node.version > newest {
                problems.append("a node of version \(node.version) is in version \(newest)")
            }
            if level == 0 { return }
            for index in 0...node.count {
                try countNodes(
                    below: Inner(node).children[index], level: level - 1, of: newest, &count,
                    &problems)
            }
        }
    }
#endif
