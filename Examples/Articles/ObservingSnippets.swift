import Dispatch
import Observation
import Testing
import Travertine

@Suite("Snippets: observing changes")
struct ObservingSnippets {
    class Task: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
        @Persisted var isDone: Bool
        @Persisted var project: Project?
    }

    class Project: Object {
        @Persisted var name: String
    }

    let directory = SnippetDirectory()

    @Test("a block of results is notified of positions, one of an object properties")
    func observing() throws {
        let realm = try directory.open([Task.self, Project.self])
        let tasks = realm.objects(Task.self).where { !$0.isDone }.sorted(byKeyPath: "title")
        let token = tasks.observe { change in
            switch change {
            case .initial(let tasks): print("\(tasks.count) tasks")
            case .update(_, let deletions, let insertions, let modifications):
                print("deleted \(deletions), inserted \(insertions), modified \(modifications)")
            case .error(let error): print(error)
            }
        }
        realm.refresh()
        let task = try realm.write { realm.create(Task.self, value: ["id": 1, "title": "a"]) }
        try observe(task)
        try skip(realm, tasks, token)
        #expect(tasks.isEmpty)
    }

    private func observe(_ task: Task) throws {
        let taskToken = task.observe { change in
            switch change {
            case .change(_, let properties):
                for property in properties {
                    print(property.name, property.oldValue ?? "nil", property.newValue ?? "nil")
                }
            case .deleted: print("gone")
            case .error(let error): print(error)
            }
        }
        try task.realm?.write { task.title = "b" }
        task.realm?.refresh()
        taskToken.invalidate()
    }

    private func skip(
        _ realm: Realm, _ tasks: Results<Task>, _ token: NotificationToken
    ) throws {
        try realm.write(withoutNotifying: [token]) {
            realm.delete(tasks[0])
        }
        realm.refresh()
    }

    @Test("with key paths exactly these make an element modified")
    func keyPaths() throws {
        let realm = try directory.open([Task.self, Project.self])
        let tasks = realm.objects(Task.self)
        let titleToken = tasks.observe(keyPaths: ["title", "project.name"]) { change in
            if case .update(_, _, _, let modifications) = change { print(modifications) }
        }
        realm.refresh()
        titleToken.invalidate()
    }

    @Test("blocks may be called on a queue or an actor")
    func elsewhere() async throws {
        let counter = Counter()
        try await counter.begin(directory)
        try onQueue()
        await counter.end()
    }

    private func onQueue() throws {
        let realm = try directory.open([Task.self, Project.self])
        let tasks = realm.objects(Task.self)
        let queue = DispatchQueue(label: "tasks")
        let queueToken = tasks.observe(on: queue) { change in
            if case .update(let tasks, _, _, _) = change { print(tasks.count) }
        }
        queueToken.invalidate()
        queue.sync {}
    }

    func follow(
        _ configuration: Realm.Configuration, on queue: DispatchQueue
    ) throws -> NotificationToken {
        var readOnly = configuration
        readOnly.readOnly = true
        let realm = try Realm(configuration: readOnly, queue: queue)
        return realm.objects(Task.self).observe { change in
            if case .update(let tasks, _, _, _) = change { print(tasks.count) }
        }
    }

    @Test("a read-only realm is notified of what another one writes")
    func otherProcesses() throws {
        _ = try directory.open([Task.self, Project.self])
        let queue = DispatchQueue(label: "tasks")
        try queue.sync {
            let configuration = Realm.Configuration(
                fileURL: directory.url, objectTypes: [Task.self, Project.self])
            try follow(configuration, on: queue).invalidate()
        }
    }

    @Test("what is read inside withObservationTracking is tracked")
    func tracking() throws {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Task.self, Project.self], durability: .unsynced)
        configuration.tracksReads = true
        let trackedRealm = try Realm(configuration: configuration)
        let tracked = trackedRealm.objects(Task.self)
        withObservationTracking {
            print(tracked.count, tracked.first?.title ?? "")
        } onChange: {
            print("read it again")
        }
        try trackedRealm.write {
            _ = trackedRealm.create(Task.self, value: ["id": 1, "title": "a"])
        }
        #expect(tracked.count == 1)
    }

    actor Counter {
        var count = 0
        var token: NotificationToken?

        func start(_ tasks: Results<Task>) async {
            token = await tasks.observe(on: self) { counter, change in
                if case .update(let tasks, _, _, _) = change { counter.count = tasks.count }
            }
        }
    }

    actor Viewer {
        func show(_ tasks: Results<Task>) async {
            for await change in tasks.changes {
                if case .update(let tasks, _, let insertions, _) = change {
                    print(tasks.count, insertions)
                }
            }
        }

        func showTitle(of task: Task) async {
            for await title in task.values(of: \.title) { print(title) }
        }
    }
}

extension ObservingSnippets.Counter {
    func begin(_ directory: SnippetDirectory) async throws {
        let realm = try await Realm.open(
            configuration: Realm.Configuration(
                fileURL: directory.url,
                objectTypes: [ObservingSnippets.Task.self, ObservingSnippets.Project.self],
                durability: .unsynced))
        await start(realm.objects(ObservingSnippets.Task.self))
        realm.refresh()
    }

    func end() { token = nil }
}
