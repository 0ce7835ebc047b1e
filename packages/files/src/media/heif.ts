import type { FileBytes } from './bytes.ts';
import { type Box, boxesIn, findBox, findPath, type Range } from './isoBoxes.ts';
import { durationMs, type Measures, pixels } from './measures.ts';

/** AVIF and HEIC: the size of the primary image, which may consist of tiles, as it is shown; the duration of a sequence. */
export async function heifMeasures(file: FileBytes): Promise<Measures> {
  const whole = { start: 0, end: file.sizeBytes };
  const meta = await findBox(file, whole, 'meta');
  const size = meta && (await primarySize(file, { ...meta, start: meta.start + 4 }));
  const seconds = await sequenceSeconds(file, whole).catch(() => 0);
  return { ...(size ?? pixels(0, 0)), durationMs: durationMs(seconds) };
}

/** The sum of all frames: encoders leave the duration of the movie 0. */
async function sequenceSeconds(file: FileBytes, whole: Range): Promise<number> {
  const media = await findPath(file, whole, ['moov', 'trak', 'mdia']);
  const header = media && (await findBox(file, media, 'mdhd'));
  const table = media && (await findPath(file, media, ['minf', 'stbl', 'stts']));
  if (!header || !table) return 0;
  const isLong = (await file.exactly(header.start, 1))[0] === 1;
  const scale = (await file.exactly(header.start + (isLong ? 20 : 12), 4)).readUInt32BE();
  const entries = await file.at(table.start + 8, table.end - table.start - 8);
  let units = 0;
  for (let at = 0; at + 8 <= entries.length; at += 8)
    units += entries.readUInt32BE(at) * entries.readUInt32BE(at + 4);
  return units / scale;
}

async function primarySize(file: FileBytes, meta: Range): Promise<Measures | null> {
  const [primary, properties] = [await findBox(file, meta, 'pitm'), await findBox(file, meta, 'iprp')];
  if (!primary || !properties) return null;
  const head = await file.exactly(primary.start, 6);
  const id = head[0] === 0 ? head.readUInt16BE(4) : (await file.exactly(primary.start, 8)).readUInt32BE(4);
  const container = await findBox(file, properties, 'ipco');
  const owners = await findBox(file, properties, 'ipma');
  if (!container || !owners) return null;
  const indexes = await propertiesOf(file, owners, id);
  let size: [number, number] | null = null;
  let isTurned = false;
  let index = 0;
  for await (const property of boxesIn(file, container.start, container.end)) {
    index += 1;
    if (!indexes.has(index)) continue;
    if (property.name === 'ispe') size = await sidesOf(file, property);
    if (property.name === 'irot') isTurned = ((await file.exactly(property.start, 1)).readUInt8() & 1) === 1;
  }
  // Orientation 6 of EXIF is a quarter turn, too.
  return size && pixels(...size, isTurned ? 6 : 1);
}

async function sidesOf(file: FileBytes, { start }: Box): Promise<[number, number]> {
  const bytes = await file.exactly(start + 4, 8);
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
}

/** The indexes of an item's properties in their container, from 1. */
async function propertiesOf(file: FileBytes, owners: Box, item: number): Promise<Set<number>> {
  const bytes = await file.exactly(owners.start, owners.end - owners.start);
  const [version, isWide] = [bytes[0], (bytes.readUInt8(3) & 1) === 1];
  const [idBytes, indexBytes] = [version === 0 ? 2 : 4, isWide ? 2 : 1];
  for (let at = 8; at + idBytes < bytes.length; ) {
    const id = bytes.readUIntBE(at, idBytes);
    const start = at + idBytes + 1;
    at = start + bytes.readUInt8(start - 1) * indexBytes;
    if (id !== item) continue;
    const indexes = bytes.subarray(start, at);
    return new Set(
      Array.from({ length: indexes.length / indexBytes }, (_, at) =>
        isWide ? indexes.readUInt16BE(at * 2) & 0x7fff : indexes.readUInt8(at) & 0x7f,
      ),
    );
  }
  return new Set();
}
