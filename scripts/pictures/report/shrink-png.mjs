import { crc32, deflateSync, inflateSync } from "node:zlib";

const COLORS = 256;
const RGB = 2;

/**
 * The same picture with 256 of its colors, which takes less than half of the bytes.
 *
 * @param {Buffer} png - With 8 bits for each of red, green and blue, as Chromium writes it.
 */
export function shrinkPng(png) {
  const { header, data } = partsOf(png);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header[8] !== 8 || header[9] !== RGB || header[12] !== 0) throw new Error("the PNG is not of 8-bit RGB");
  const pixels = pixelsOf(inflateSync(data), width, height);
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const colors = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = paletteOf(colors);
  const index = new Map(colors.map((color) => [color, nearest(color, palette).at]));
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((color, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = index.get(color);
  });
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  const table = Buffer.from(palette.flatMap(channels));
  const chunks = [chunk("IHDR", indexed), chunk("PLTE", table), chunk("IDAT", deflateSync(rows, { level: 9 }))];
  return Buffer.concat([png.subarray(0, 8), ...chunks, chunk("IEND", Buffer.alloc(0))]);
}

const channels = (color) => [color >> 16, (color >> 8) & 255, color & 255];

/** Half of the palette are the most frequent colors, the rest those that are least similar to all before them. */
function paletteOf(colors) {
  const palette = colors.slice(0, COLORS / 2);
  while (palette.length < Math.min(COLORS, colors.length)) {
    const distances = colors.map((color) => nearest(color, palette).distance);
    palette.push(colors[distances.indexOf(Math.max(...distances))]);
  }
  return palette;
}

/** The place of the most similar color in the palette, and how much it differs. */
function nearest(color, palette) {
  const wanted = channels(color);
  const distances = palette.map((other) => {
    return channels(other).reduce((sum, value, at) => sum + (value - wanted[at]) ** 2, 0);
  });
  const distance = Math.min(...distances);
  return { distance, at: distances.indexOf(distance) };
}

function partsOf(png) {
  const data = [];
  let header = Buffer.alloc(0);
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    const type = png.toString("latin1", at + 4, at + 8);
    if (type === "IHDR") header = body;
    if (type === "IDAT") data.push(body);
    at += length + 12;
  }
  return { header, data: Buffer.concat(data) };
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** The color of each pixel, with the filters of the rows undone. */
function pixelsOf(raw, width, height) {
  const bytes = width * 3;
  const lines = Buffer.alloc(bytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (bytes + 1)];
    for (let x = 0; x < bytes; x += 1) {
      const left = x < 3 ? 0 : lines[y * bytes + x - 3];
      const up = y === 0 ? 0 : lines[(y - 1) * bytes + x];
      const corner = x < 3 || y === 0 ? 0 : lines[(y - 1) * bytes + x - 3];
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      lines[y * bytes + x] = raw[y * (bytes + 1) + 1 + x] + guesses[filter];
    }
  }
  return Array.from({ length: width * height }, (_, at) => lines.readUIntBE(at * 3, 3));
}

function paeth(left, up, corner) {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
