#if os(Linux)
    import Dispatch
    import Locks

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The files that this process watches, by one inotify instance: a user may have few of them.
    final class InotifyInstance: @unchecked Sendable {
        private struct State {
            var watches: [Int32: [ObjectIdentifier: InotifyWatch]] = [:]
        }

        private static let mask = UInt32(IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
        /// Room for some tens of events; those of files have no names.
        private static let bufferByteCount = 4096
        private static let shared = Locked<(process: pid_t, instance: InotifyInstance?)>((0, nil))

        private let descriptor: Int32
        private let source: any DispatchSourceRead
        private let state = Locked(State())

        /// The instance of this process; nil where the system has none to spare. A child of `fork`
        /// makes its own: it has a copy of the parent's descriptor, but not of its threads.
        static var current: InotifyInstance? {
            shared.withLock { shared in
                if shared.process == getpid(), let instance = shared.instance { return instance }
                // That of the parent is left as it is: its queue has no thread here.
                if let inherited = shared.instance { _ = Unmanaged.passRetained(inherited) }
                shared = (getpid(), InotifyInstance())
                return shared.instance
            }
        }

        private init?() {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: DispatchQueue(label: "travertine.watch"))
            source.setEventHandler { [unowned self] in readEvents() }
            source.activate()
        }

        /// Watches a file; the number of its watch, nil if there is no such file.
        fileprivate func add(_ watch: InotifyWatch, _ path: String) -> Int32? {
            // Inside: an event of the new watch finds it.
            state.withLock { state in
                let number = inotify_add_watch(descriptor, path, Self.mask)
                guard number >= 0 else { return nil }
                state.watches[number, default: [:]][ObjectIdentifier(watch)] = watch
                return number
            }
        }

        fileprivate func remove(_ watch: InotifyWatch, _ number: Int32) {
            let removed = state.withLock { state -> InotifyWatch? in
                let removed = state.watches[number]?.removeValue(forKey: ObjectIdentifier(watch))
                if let rest = state.watches[number], rest.isEmpty {
                    state.watches[number] = nil
                    inotify_rm_watch(descriptor, number)
                }
                return removed
            }
            // Released outside of the lock.
            _ = consume removed
        }

        private func readEvents() {
            var numbers: Set<Int32> = []
            var hasOverflowed = false
            withUnsafeTemporaryAllocation(byteCount: Self.bufferByteCount, alignment: 8) { buffer in
                while true {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { break }
                    var offset = 0
                    while offset + MemoryLayout<inotify_event>.size <= count {
                        let event = buffer.loadUnaligned(
                            fromByteOffset: offset, as: inotify_event.self)
                        numbers.insert(event.wd)
                        if event.wd < 0 { hasOverflowed = true }
                        offset += MemoryLayout<inotify_event>.size + Int(event.len)
                    }
                }
            }
            let watches = state.withLock { state in
                hasOverflowed
                    ? state.watches.values.flatMap(\.values)
                    : numbers.flatMap { state.watches[$0]?.values.map(\.self) ?? [] }
            }
            for watch in watches { watch.body() }
        }
    }

    /// A watch of one path.
    final class InotifyWatch: FileWatch, @unchecked Sendable {
        let body: @Sendable () -> Void
        private let instance: InotifyInstance
        private let path: String
        /// The number of the watch; nil while there is no file, and after the end.
        private let number = Locked<(current: Int32?, isEnded: Bool)>((nil, false))

        init?(_ path: String, _ body: @escaping @Sendable () -> Void) {
            guard let instance = InotifyInstance.current else { return nil }
            self.instance = instance
            self.path = path
            self.body = body
            super.init()
            renew()
        }

        override func renew() {
            number.withLock { number in
                if number.isEnded { return }
                // The same file has the same number.
                let found = instance.add(self, path)
                if let old = number.current, old != found { instance.remove(self, old) }
                number.current = found
            }
        }

        override func cancel() {
            number.withLock { number in
                if let current = number.current { instance.remove(self, current) }
                number = (nil, true)
            }
        }
    }
#endif
