// A small map of the world with one place, drawn from a few lines: no pictures come from elsewhere.

import { h, s } from './dom.js';

const width = 360;
const height = 180;

// Rough outlines, as longitude and latitude.
const lands = [
  [-168, 66, -156, 71, -128, 70, -110, 68, -95, 72, -82, 68, -94, 59, -82, 55, -79, 62, -65, 59, -56, 52, -66, 44,
    -75, 38, -81, 31, -81, 25, -84, 30, -97, 28, -97, 20, -88, 21, -87, 16, -83, 9, -78, 8, -92, 14, -105, 20,
    -114, 31, -124, 40, -124, 48, -140, 60, -152, 59, -165, 60],
  [-55, 60, -44, 60, -22, 70, -18, 78, -30, 83, -60, 82, -72, 77, -54, 70],
  [-78, 8, -72, 12, -60, 9, -50, 0, -35, -7, -39, -16, -48, -27, -57, -37, -65, -43, -69, -52, -74, -50, -72, -32,
    -70, -18, -81, -5],
  [-17, 15, -10, 30, -6, 35, 10, 37, 20, 32, 32, 31, 37, 20, 43, 12, 51, 11, 42, -2, 40, -15, 33, -27, 26, -34,
    18, -34, 12, -18, 9, 0, 5, 5, -8, 5],
  [-9, 37, -9, 43, -1, 44, -4, 48, 3, 51, 8, 54, 8, 57, 12, 55, 20, 55, 28, 60, 20, 61, 24, 66, 16, 57, 11, 59, 5, 60,
    14, 68, 28, 71, 42, 67, 60, 69, 70, 73, 88, 75, 104, 78, 130, 72, 160, 70, 179, 68, 178, 62, 163, 59, 157, 51,
    155, 59, 138, 54, 140, 47, 129, 41, 127, 35, 122, 40, 118, 38, 122, 31, 115, 23, 108, 20, 109, 12, 102, 12, 103, 2,
    98, 9, 97, 16, 90, 22, 80, 15, 78, 8, 73, 18, 66, 25, 57, 26, 59, 22, 45, 13, 35, 28, 36, 36, 27, 37, 23, 37,
    19, 42, 14, 45, 18, 40, 11, 44, 3, 42, -2, 37],
  [-5, 50, 1, 51, 0, 54, -3, 58, -5, 57, -3, 54, -5, 52],
  [114, -22, 122, -18, 131, -12, 136, -12, 141, -17, 143, -11, 153, -27, 150, -37, 139, -35, 131, -31, 116, -35],
  [131, 31, 141, 41, 145, 44, 141, 45, 139, 38, 131, 34],
  [95, 5, 105, -6, 115, -8, 106, -7, 100, 1], [109, 1, 117, 6, 118, -3, 111, -3], [131, -1, 145, -5, 150, -10, 138, -8],
  [44, -25, 50, -16, 47, -25], [167, -46, 178, -38, 173, -35, 173, -41], [-24, 65, -14, 65, -18, 63],
  [-84, 22, -75, 20, -78, 22],
];

const x = (longitude) => longitude + 180;
const y = (latitude) => 90 - latitude;

function outline(numbers) {
  const points = [];
  for (let index = 0; index < numbers.length; index += 2) {
    points.push(`${x(numbers[index])},${y(numbers[index + 1])}`);
  }
  return points.join(' ');
}

/** A map with a place: `[longitude, latitude]`. */
export function placeMap([longitude, latitude]) {
  const lines = [];
  for (let line = 30; line < width; line += 30) lines.push(`M${line} 0V${height}`);
  for (let line = 30; line < height; line += 30) lines.push(`M0 ${line}H${width}`);
  const side = (value, plus, minus) => `${Math.abs(value).toFixed(4)}° ${value < 0 ? minus : plus}`;
  const text = `${side(latitude, 'N', 'S')}, ${side(longitude, 'E', 'W')}`;
  return h('figure', { class: 'map' },
    s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Map of the world with ${text}` },
      s('path', { class: 'graticule', d: lines.join('') }),
      s('path', { class: 'equator', d: `M0 90H${width}` }),
      lands.map((land) => s('polygon', { class: 'land', points: outline(land) })),
      s('circle', { class: 'halo', cx: x(longitude), cy: y(latitude), r: 9 }),
      s('circle', { class: 'place', cx: x(longitude), cy: y(latitude), r: 3 })),
    h('figcaption', {}, text));
}
