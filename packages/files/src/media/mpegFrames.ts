/** `bytes` of a frame with its header, and the seconds that it plays. `rate`: frames of one file agree in it. */
export type Frame = { bytes: number; seconds: number; rate: number };

export type ReadFrame = (header: Buffer) => Frame | null;

export const frameHeaderBytes = 7;

const mpegBitrates: Record<string, number[]> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

const mpegRates = [44_100, 48_000, 32_000];

/** By the bits of the version: 2.5, reserved, 2, 1. */
const rateDivisors = [4, null, 2, 1];

/** MPEG audio, layers 1 to 3. */
export const mpegFrame: ReadFrame = (header) => {
  if (header.length < 4 || header[0] !== 0xff || (header.readUInt8(1) & 0xe0) !== 0xe0) return null;
  const divisor = rateDivisors[(header.readUInt8(1) >> 3) & 3];
  const layer = 4 - ((header.readUInt8(1) >> 1) & 3);
  const rate = (mpegRates[(header.readUInt8(2) >> 2) & 3] ?? 0) / (divisor ?? 1);
  const version = divisor === 1 ? 1 : 2;
  const kbits = mpegBitrates[`${version}-${layer}`]?.[(header.readUInt8(2) >> 4) - 1];
  if (!divisor || rate === 0 || kbits === undefined) return null;
  const samples = layer === 1 ? 384 : layer === 3 && version === 2 ? 576 : 1152;
  const padding = (header.readUInt8(2) >> 1) & 1;
  const slotBytes = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples / 8 / slotBytes) * ((kbits * 1000) / rate)) + padding;
  return { bytes: slots * slotBytes, seconds: samples / rate, rate: rate * 10 + layer };
};

const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];

/** AAC in ADTS. */
export const adtsFrame: ReadFrame = (header) => {
  if (header.length < 7 || header[0] !== 0xff || (header.readUInt8(1) & 0xf6) !== 0xf0) return null;
  const rate = adtsRates[(header.readUInt8(2) >> 2) & 15];
  const bytes = (header.readUIntBE(3, 3) >> 5) & 0x1fff;
  if (rate === undefined || bytes < frameHeaderBytes) return null;
  const blocks = (header.readUInt8(6) & 3) + 1;
  return { bytes, seconds: (blocks * 1024) / rate, rate };
};

/** One header is easily a coincidence; several frames after one another are not. */
const framesToBelieve = 4;

/** Where frames begin, perhaps within the first one; -1 for other bytes. */
export function firstFrame(bytes: Buffer, readFrame: ReadFrame, atEnd = false): number {
  for (let start = bytes.indexOf(0xff); start >= 0; start = bytes.indexOf(0xff, start + 1)) {
    if (isFrameChain(bytes, start, readFrame, atEnd)) return start;
  }
  return -1;
}

/** `atEnd`: fewer frames are enough when the bytes end with the last one. */
function isFrameChain(bytes: Buffer, start: number, readFrame: ReadFrame, atEnd: boolean): boolean {
  let rate: number | null = null;
  let at = start;
  for (let count = 0; count < framesToBelieve; count++) {
    if (atEnd && count > 0 && at >= bytes.length) return true;
    const frame = readFrame(bytes.subarray(at, at + frameHeaderBytes));
    if (frame === null || (rate ?? frame.rate) !== frame.rate) return false;
    rate = frame.rate;
    at += frame.bytes;
  }
  return true;
}

/** Whether a head is of an MP3 that begins with zeros or within a frame. */
export function startsWithMpegFrames(head: Buffer): boolean {
  return firstFrame(head, mpegFrame) >= 0;
}
