#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Locks

    /// A watch of one path, by its own descriptor.
    final class DispatchWatch: FileWatch, @unchecked Sendable {
        private struct State {
            var source: (any DispatchSourceFileSystemObject)?
            var identity: FileIdentity?
            var isEnded = false
        }

        private static let queue = DispatchQueue(label: "travertine.watch")
        private let path: String
        private let body: @Sendable () -> Void
        private let state = Locked(State())

        init(_ path: String, _ body: @escaping @Sendable () -> Void) {
            self.path = path
            self.body = body
            super.init()
            renew()
        }

        deinit { state.withLock { $0.source?.cancel() } }

        override func renew() {
            state.withLock { state in
                var status = stat()
                guard !state.isEnded, stat(path, &status) == 0 else { return }
                let identity = FileIdentity(
                    device: UInt64(truncatingIfNeeded: status.st_dev), inode: status.st_ino)
                if state.identity == identity { return }
                let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor,
                    eventMask: [.write, .extend, .attrib, .delete, .rename], queue: Self.queue)
                source.setEventHandler(handler: body)
                source.setCancelHandler { close(descriptor) }
                source.activate()
                state.source?.cancel()
                state.source = source
                state.identity = identity
            }
        }

        override func cancel() {
            state.withLock { state in
                state.source?.cancel()
                state.source = nil
                state.isEnded = true
            }
        }
    }
#endif
