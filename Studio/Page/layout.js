// Places for the cards of a graph: in columns, so that most links lead to the right.
//
// A link that leads over several columns has a way in each between, which takes part in all that follows, so
// that no card is in its way.

const gapX = 76;
const gapY = 30;
const margin = 32;
// What links from a card to itself, and between cards of one column, need on its right.
const bendRoom = 52;
const columnHeight = 1500;
const wayHeight = 12;

/** Gives each card its `x` and `y`, and each link its `ways`; returns the size of the whole. */
export function place(cards, links) {
  const out = new Map(cards.map((card) => [card.name, []]));
  const into = new Map(cards.map((card) => [card.name, []]));
  const others = links.filter(({ from, to }) => from !== to);
  for (const { from, to } of others) out.get(from).push(to);
  const levels = levelsOf(cards, out);
  const isLinked = new Set(others.flatMap(({ from, to }) => [from, to]));
  const single = cards.filter((card) => !isLinked.has(card.name));
  const columns = columnsOf(cards.filter((card) => isLinked.has(card.name)), levels);
  const nodes = new Map(cards.map((card) => [card.name, card]));
  const column = new Map(columns.flatMap((members, index) => members.map((card) => [card.name, index])));
  out.forEach((_, name) => out.set(name, []));
  for (const link of others) addWays(link, columns, column, nodes, out, into);
  order(columns, out, into);
  let x = margin;
  for (const members of columns) {
    let y = margin;
    for (const card of members) {
      card.x = x;
      card.y = y;
      y += card.height + gapY;
    }
    x += Math.max(...members.map((card) => card.width)) + gapX;
  }
  settle(columns, nodes, out, into);
  const bottom = Math.max(0, ...columns.flat().map((card) => card.y + card.height));
  return withSingles(single, Math.max(x - gapX + bendRoom, 0), bottom + (bottom > 0 ? gapY : margin));
}

/** How far each card is from the left: the longest way to the end of its links, leaving out circles. */
function levelsOf(cards, out) {
  const onWay = new Set();
  const depth = new Map();
  const visit = (name) => {
    if (depth.has(name)) return depth.get(name);
    if (onWay.has(name)) return -1;
    onWay.add(name);
    const found = Math.max(-1, ...out.get(name).map(visit)) + 1;
    onWay.delete(name);
    depth.set(name, found);
    return found;
  };
  cards.forEach((card) => visit(card.name));
  const deepest = Math.max(0, ...depth.values());
  return new Map([...depth].map(([name, found]) => [name, deepest - found]));
}

/** The cards by level; a column that is much too high becomes several. */
function columnsOf(cards, levels) {
  const columns = [];
  for (const card of cards) (columns[levels.get(card.name)] ??= []).push(card);
  return columns.filter(Boolean).flatMap((members) => {
    const parts = [[]];
    let height = 0;
    for (const card of members) {
      if (height > 0 && height + card.height > columnHeight) { parts.push([]); height = 0; }
      parts[parts.length - 1].push(card);
      height += card.height + gapY;
    }
    return parts;
  });
}

function addWays(link, columns, column, nodes, out, into) {
  link.ways = [];
  const step = column.get(link.from) < column.get(link.to) ? 1 : -1;
  let last = link.from;
  const connect = (name) => {
    out.get(last).push(name);
    into.get(name).push(last);
    last = name;
  };
  if (step > 0) {
    for (let index = column.get(link.from) + 1; index < column.get(link.to); index += 1) {
      const name = `${link.from}.${link.property.name}>${index}`;
      const way = { name, width: columns[index][0].width, height: wayHeight, isWay: true };
      nodes.set(name, way);
      out.set(name, []);
      into.set(name, []);
      columns[index].push(way);
      link.ways.push(way);
      connect(name);
    }
  }
  connect(link.to);
}

/** Sorts each column by the mean position of what its members are linked with. */
function order(columns, out, into) {
  const position = new Map();
  const note = (members) => members.forEach((card, index) => position.set(card.name, index / members.length));
  columns.forEach(note);
  for (let pass = 0; pass < 8; pass += 1) {
    for (const members of pass % 2 === 0 ? columns : [...columns].reverse()) {
      const weight = new Map(members.map((card) => {
        const near = [...out.get(card.name), ...into.get(card.name)].map((name) => position.get(name));
        return [card, near.reduce((sum, value) => sum + value, 0) / Math.max(1, near.length)];
      }));
      members.sort((left, right) => weight.get(left) - weight.get(right));
      note(members);
    }
  }
}

/** Moves cards towards what they are linked with, as far as their column has room. */
function settle(columns, nodes, out, into) {
  for (let pass = 0; pass < 16; pass += 1) {
    for (const members of columns) {
      members.forEach((card, index) => {
        const near = [...out.get(card.name), ...into.get(card.name)].map((name) => nodes.get(name));
        if (near.length === 0) return;
        const wanted = near.reduce((sum, other) => sum + other.y + other.height / 2, 0) / near.length - card.height / 2;
        const above = members[index - 1];
        const below = members[index + 1];
        const least = above ? above.y + above.height + gapY : margin;
        const most = below ? below.y - gapY - card.height : Infinity;
        card.y = Math.max(least, Math.min(most, card.y + (wanted - card.y) * 0.5));
      });
    }
  }
  const all = columns.flat();
  const top = Math.min(...all.map((card) => card.y), Infinity);
  for (const card of all) card.y += margin - top;
}

/** Cards without any link, in rows below the others. */
function withSingles(cards, width, top) {
  if (cards.length === 0) return { width, height: top };
  const gap = bendRoom;
  const columnCount = Math.max(1, Math.min(cards.length, Math.max(4, Math.floor(width / (cards[0].width + gap)))));
  let y = top;
  let right = width;
  for (let start = 0; start < cards.length; start += columnCount) {
    const row = cards.slice(start, start + columnCount);
    row.forEach((card, index) => {
      card.x = margin + index * (card.width + gap);
      card.y = y;
      right = Math.max(right, card.x + card.width + bendRoom);
    });
    y += Math.max(...row.map((card) => card.height)) + gapY;
  }
  return { width: right, height: y };
}
