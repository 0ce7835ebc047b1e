import { crc32, deflateSync } from 'node:zlib';

const sidePx = 512;
const sampleHz = 16_000;

/** A second of a tone, as WAV: 16 bits, one channel. */
export function sampleSound(): Buffer {
  const sound = Buffer.alloc(sampleHz * 2);
  for (let at = 0; at < sampleHz; at += 1) {
    sound.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / sampleHz)), at * 2);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + sound.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleHz, 24);
  header.writeUInt32LE(sampleHz * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(sound.length, 40);
  return Buffer.concat([header, sound]);
}

/** A PNG of 512 x 512 in soft colours. */
export function sampleImage(): Buffer {
  const rows = Array.from({ length: sidePx }, (_row, y) =>
    Buffer.from([0, ...Array.from({ length: sidePx }, (_pixel, x) => [x >> 1, y >> 1, 160]).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sidePx, 0);
  header.writeUInt32BE(sidePx, 4);
  // 8 bits a channel, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
