#if TRAVERTINE_TSAN
    import VisibleLocks

    /// In this module's builds for the thread sanitizer `Mutex` is one that it sees.
    typealias Mutex<Value> = VisibleMutex<Value>
#endif
