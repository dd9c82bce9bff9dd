import Testing

@testable import StoreShipping

@Suite("Which points are kept")
struct RetentionTests {
    private let hour: Int64 = 3_600_000

    private func points(every step: Int64, count: Int, until now: Int64) -> [PointSummary] {
        (0..<count).map { place in
            PointSummary(
                number: UInt64(place + 1), history: 1,
                timeMilliseconds: now - Int64(count - 1 - place) * step, lsn: UInt64(place))
        }
    }

    @Test("All of a day, the last of each hour of a week, the last of each day of a month")
    func defaults() {
        let now: Int64 = 1_750_000_000_000 / (24 * hour) * (24 * hour) + 12 * hour
        let all = points(every: hour / 4, count: 4 * 24 * 60, until: now)
        let kept = RetentionRules().kept(of: all, at: now)
        let ages = all.filter { kept.contains($0.number) }.map { now - $0.timeMilliseconds }
        #expect(ages.filter { $0 <= 24 * hour }.count == 97)
        #expect(ages.filter { $0 > 24 * hour && $0 <= 168 * hour }.count == 144)
        #expect(ages.filter { $0 > 168 * hour }.count == 23)
        #expect(ages.allSatisfy { $0 <= 720 * hour })
    }

    @Test("The newest point is kept, however old it is")
    func newest() {
        let all = points(every: 1, count: 3, until: 0)
        #expect(RetentionRules().kept(of: all, at: 10_000 * hour) == [3])
        #expect(RetentionRules().kept(of: [], at: 0) == [])
    }

    @Test("The last point before the store was put back is kept like the last one of an hour")
    func histories() {
        let now: Int64 = 1_750_000_000_000 / (24 * hour) * (24 * hour) + 12 * hour
        var all = points(every: hour / 4, count: 4 * 24 * 10, until: now)
        // In the middle of an hour, two and nine days ago.
        let places = all.indices.filter { place in
            let age = now - all[place].timeMilliseconds
            return age == 48 * hour + hour / 2 || age == 216 * hour + hour / 2
        }
        #expect(places.count == 2)
        for place in all.indices {
            all[place].history = UInt64(1 + places.count { $0 < place })
        }
        let kept = RetentionRules().kept(of: all, at: now)
        for place in places { #expect(kept.contains(all[place].number)) }
    }

    @Test("What is kept once is kept until its rule ends: pruning often is as good as seldom")
    func stable() {
        let start: Int64 = 1_750_000_000_000
        var rules = RetentionRules()
        (rules.all, rules.hourly) = (.seconds(7200), .seconds(36_000))
        rules.daily = .seconds(400_000)
        let every = hour / 12
        var often: [PointSummary] = []
        var seldom: [PointSummary] = []
        for step in 0..<2_000 {
            let now = start + Int64(step) * every
            let point = PointSummary(
                number: UInt64(step), history: 1, timeMilliseconds: now, lsn: 0)
            often.append(point)
            seldom.append(point)
            let kept = rules.kept(of: often, at: now)
            often.removeAll { !kept.contains($0.number) }
        }
        let now = start + 1_999 * every
        #expect(Set(often.map(\.number)) == rules.kept(of: seldom, at: now))
    }
}
