/// Which state of the object a put requires.
public enum PutCondition: Hashable, Sendable {
    /// None: the put replaces what is there. After a lost answer it is sent again, so that it may
    /// take place twice, and the second time over a put of another client.
    case always
    /// There is no object of this key (`If-None-Match: *`).
    case ifAbsent
    /// The object is in this state (`If-Match`).
    case ifMatch(EntityTag)
}

extension PutCondition {
    /// The request header; nil without condition.
    var header: (name: String, value: String)? {
        switch self {
        case .always: nil
        case .ifAbsent: ("if-none-match", "*")
        case .ifMatch(let tag): ("if-match", tag.headerValue)
        }
    }

    /// How the condition is stored with the object; nil without condition.
    var base: String? {
        switch self {
        case .always: nil
        case .ifAbsent: "*"
        case .ifMatch(let tag): tag.value
        }
    }
}
