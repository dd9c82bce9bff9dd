/// The order of cells: a Hilbert curve on each face of a cube, so that cells with neighbouring
/// numbers are neighbours on the sphere.
///
/// A square is divided into four, and each of these again. The curve goes through the four in one
/// of four orders, by how often it was turned so far: bit 0 exchanges the axes, bit 1 reverses
/// both.
enum GeoCurve {
    /// Where the curve is after the first, second, third and fourth quarter of a square that was
    /// not turned: bit 1 is the first axis, bit 0 the second.
    private static let path: [UInt8] = [0b00, 0b01, 0b11, 0b10]
    /// How the curve is turned in each of the four.
    private static let turns: [UInt8] = [0b01, 0b00, 0b00, 0b11]

    /// By turn and position on the curve, in a byte: the quarter in bits 0 and 1, its turn above.
    private static let quarters: [UInt8] = (0..<16).map { index in
        let (turn, position) = (UInt8(index >> 2), index & 3)
        var quarter = path[position]
        if turn & 1 != 0 { quarter = quarter >> 1 | (quarter & 1) << 1 }
        if turn & 2 != 0 { quarter ^= 3 }
        return quarter | (turn ^ turns[position]) << 2
    }

    /// By turn and quarter, in a byte: the position in bits 0 and 1, the turn of the quarter above.
    private static let positions: [UInt8] = {
        var positions = [UInt8](repeating: 0, count: 16)
        for index in 0..<16 {
            let found = quarters[index]
            positions[index & 0b1100 | Int(found & 3)] = found & 0b1100 | UInt8(index & 3)
        }
        return positions
    }()

    /// The quarter at a position, and how the curve is turned in it.
    @inline(__always)
    static func quarter(at position: Int, turn: UInt8) -> (quarter: UInt8, turn: UInt8) {
        let found = quarters[Int(turn) << 2 | position]
        return (found & 3, found >> 2)
    }

    /// The position on the curve of a square of the finest grid.
    static func position(_ first: UInt32, _ second: UInt32, levels: Int) -> UInt64 {
        positions.withUnsafeBufferPointer { positions in
            var position: UInt64 = 0
            var turn = 0
            var level = levels - 1
            while level >= 0 {
                let quarter =
                    Int(first >> UInt32(level) & 1) << 1 | Int(second >> UInt32(level) & 1)
                let found = Int(positions[turn << 2 | quarter])
                position = position << 2 | UInt64(found & 3)
                turn = found >> 2
                level -= 1
            }
            return position
        }
    }
}
