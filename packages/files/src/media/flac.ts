import { setImmediate } from 'node:timers/promises';
import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, unknown } from './measures.ts';
import { endOfId3 } from './mpegAudio.ts';

/** Has the last frame of any file, which a program that cannot go back leaves uncounted. */
const tailBytes = 262_144;
/** Bytes of a frame's head, with its checksum. */
const maxHeadBytes = 16;
const candidatesBetweenYields = 2000;

export async function flacMeasures(file: FileBytes): Promise<Measures> {
  const start = await endOfId3(file);
  // "fLaC", the head of the first block, and in it STREAMINFO.
  const head = await file.exactly(start, 26);
  const packed = head.readBigUInt64BE(18);
  const rate = Number(packed >> 44n);
  const counted = Number(packed & 0xf_ffff_ffffn);
  const samples = counted || (await lastSample(file, { blockSamples: head.readUInt16BE(8) }));
  return { ...unknown, durationMs: durationMs(samples / rate) };
}

type Block = { start: number; end: number };

/** The end of the last frame, which follows on another one: any bytes may look like the head of a frame. */
async function lastSample(file: FileBytes, { blockSamples }: { blockSamples: number }): Promise<number> {
  const end = await file.at(Math.max(0, file.sizeBytes - tailBytes), tailBytes);
  // A frame of silence is shorter than the longest head.
  const tail = Buffer.concat([end, Buffer.alloc(maxHeadBytes)]);
  const ends = new Set([0]);
  let last = 0;
  let candidates = 0;
  for (let at = tail.indexOf(0xff); at >= 0; at = tail.indexOf(0xff, at + 1)) {
    candidates += 1;
    if (candidates % candidatesBetweenYields === 0) await setImmediate();
    const block = blockAt(tail.subarray(at, at + maxHeadBytes), blockSamples);
    if (block === null) continue;
    if (ends.has(block.start)) last = block.end;
    ends.add(block.end);
  }
  return last;
}

/** In samples; null for other bytes than the head of a frame. `blockSamples`: of all frames but the last, if they are equal. */
function blockAt(bytes: Buffer, blockSamples: number): Block | null {
  if (bytes.length < maxHeadBytes || (bytes.readUInt16BE() & 0xfffe) !== 0xfff8) return null;
  const isVariable = (bytes.readUInt8(1) & 1) === 1;
  const [sizeCode, rateCode] = [bytes.readUInt8(2) >> 4, bytes.readUInt8(2) & 15];
  const number = codedNumber(bytes.subarray(4));
  if (number === null || sizeCode === 0 || rateCode === 15) return null;
  const afterNumber = 4 + number.bytes;
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const end = afterNumber + sizeBytes + (rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0);
  if (crc8(bytes.subarray(0, end)) !== bytes[end]) return null;
  const samples = sizeBytes > 0 ? bytes.readUIntBE(afterNumber, sizeBytes) + 1 : samplesOf(sizeCode);
  const start = isVariable ? number.value : number.value * blockSamples;
  return { start, end: start + samples };
}

function samplesOf(sizeCode: number): number {
  if (sizeCode === 1) return 192;
  return sizeCode < 6 ? 144 * 2 ** sizeCode : 2 ** sizeCode;
}

/** As UTF-8 codes a character, up to 36 bits. */
function codedNumber(bytes: Buffer): { value: number; bytes: number } | null {
  const first = bytes.readUInt8();
  const ones = Math.clz32(~(first << 24));
  if (ones === 0) return { value: first, bytes: 1 };
  if (ones === 1 || ones > 7) return null;
  let value = first & (0x7f >> ones);
  for (const byte of bytes.subarray(1, ones)) {
    if ((byte & 0xc0) !== 0x80) return null;
    value = value * 64 + (byte & 0x3f);
  }
  return { value, bytes: ones };
}

/** Polynomial x^8 + x^2 + x + 1. */
function crc8(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}
