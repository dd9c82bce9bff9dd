import Travertine

extension RealmExplorer {
    /// Finds the changes that what others have committed has made outdated: what they concern is
    /// another by now, or not there any more.
    ///
    /// - Returns: for each change null, or a sentence; and what the value is now, where the change
    ///   can be made of that as well.
    func check(_ request: ChangesRequest) throws -> JSON {
        try checkCount(request)
        var byteCount = Self.checkedByteCount
        return .object([
            ("outdated", .array(request.changes.map { outdated($0, &byteCount) }))
        ])
    }

    /// The bytes of texts that an answer has at most; a request has 1 MiB.
    private static let checkedByteCount = 512 << 10

    private func outdated(_ change: Change, _ byteCount: inout Int) -> JSON {
        do throws(RequestFailure) {
            // An object that is added concerns none that is there.
            guard change.kind != .add else { return .null }
            let object = try object(change.type, change.id ?? "")
            guard change.kind != .delete else { return .null }
            var place = try ValuePlace(change.path, of: object)
            if change.kind == .insert {
                try checkIsFree(place)
                try checkLink(change, place)
                return .null
            }
            let current = try current(change, at: &place)
            guard current.text != change.before else {
                try checkLink(change, place)
                return .null
            }
            var members: [(String, JSON)] = [
                ("error", .string(Self.outdatedText(place, current.text)))
            ]
            byteCount -= current.text?.utf8.count ?? 0
            // An element of a list may be another one by now, whose neighbour was taken out.
            if byteCount >= 0, !place.isInsideElements {
                members.append(("now", .optional(current.text)))
                members.append(("shown", .optional(shown(current.value))))
            }
            return .object(members)
        } catch {
            return .object([("error", .string(error.message))])
        }
    }

    /// The value that a change concerns, and its text.
    ///
    /// - Parameter place: where the page has seen it; changed to where it is.
    func current(
        _ change: Change, at place: inout ValuePlace
    ) throws(RequestFailure) -> (value: StoredValue, text: String?) {
        let isMixed = place.isMixed
        place.find { values.text($0, isMixed: isMixed) == change.before }
        let value = try place.value()
        return (value, values.text(value, isMixed: isMixed))
    }

    /// Throws if there is an entry under the key already.
    func checkIsFree(_ place: ValuePlace) throws(RequestFailure) {
        guard case .entries(let entries) = place.holder, entries.entry(under: place.step) != nil
        else { return }
        throw RequestFailure(409, "There is an entry “\(place.step)” already.")
    }

    /// Throws if the object that the new value links to is not there any more.
    private func checkLink(_ change: Change, _ place: ValuePlace) throws(RequestFailure) {
        guard change.kind != .remove, let text = change.value else { return }
        do throws(RequestFailure) {
            _ = try values.value(text, for: place.kind(target: target(of: place.property)))
        } catch {
            // A mistake in the value is nobody else's; the commit is refused with it.
            guard error.status != 410 else { throw error }
        }
    }

    func checkCount(_ request: ChangesRequest) throws(RequestFailure) {
        guard request.changes.count <= ChangesRequest.changeCount else {
            throw RequestFailure(
                413, "At most \(ChangesRequest.changeCount) changes are made at once.")
        }
    }

    static func outdatedText(_ place: ValuePlace, _ text: String?) -> String {
        "“\(place.step)” is \(text.map { "“\(ValueText.cut($0))”" } ?? "nil") by now."
    }

    /// What is read of a value: of a link the name of its object.
    private func shown(_ value: StoredValue) -> String? {
        switch value {
        case .null: nil
        case .object(let object): ObjectLabel.text(object)
        default: values.text(value, isMixed: false).map { ValueText.cut($0, to: 60) }
        }
    }
}
