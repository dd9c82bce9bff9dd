import TravertineStore

/// Where a session may be used, and what its handles compare to see that they are there.
struct SessionPlace {
    let confinement: Confinement
    /// The queue or actor, for the writers' gate; nil for a thread.
    let writerPlace: WriterIdentity.Place?
    let generation: UnsafeMutablePointer<Generation>
    private let permittedThread = PermittedThread()

    init(_ confinement: Confinement, isFrozen: Bool = false) {
        self.confinement = confinement
        writerPlace = isFrozen ? nil : confinement.writerPlace
        generation = permittedThread.generation
        if isFrozen { generation.pointee.number = Generation.frozenGeneration }
    }

    /// Lets the calling thread use the session; it runs what runs where that is confined.
    func moveToCurrentThread() { permittedThread.moveToCurrentThread(in: confinement) }
}
