import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, unknown } from './measures.ts';
import { adtsFrame, firstFrame, frameHeaderBytes, mpegFrame, type ReadFrame } from './mpegFrames.ts';

const id3HeadBytes = 10;
const maxTags = 16;
/** What may lie before and between frames: tags, silence, damage. */
const maxGapBytes = 65_536;
/** The shortest frame of MPEG audio. */
const minFrameBytes = 24;

export async function mp3Measures(file: FileBytes): Promise<Measures> {
  const start = await findFrame(file, await endOfId3(file), mpegFrame);
  const first = start === null ? null : mpegFrame(await file.at(start, frameHeaderBytes));
  if (start === null || first === null) return unknown;
  const index = await indexOf(file, start);
  const seconds =
    index.frames === null
      ? await secondsFrom(file, index.isPresent ? start + first.bytes : start, mpegFrame)
      : index.frames * first.seconds;
  return { ...unknown, durationMs: durationMs(seconds) };
}

export async function adtsMeasures(file: FileBytes): Promise<Measures> {
  const start = await findFrame(file, await endOfId3(file), adtsFrame);
  const seconds = start === null ? 0 : await secondsFrom(file, start, adtsFrame);
  return { ...unknown, durationMs: durationMs(seconds) };
}

/** The frame that encoders put before the others (Xing, Info, VBRI) says how many there are. `frames`: null, if it does not. */
async function indexOf(
  file: FileBytes,
  start: number,
): Promise<{ isPresent: boolean; frames: number | null }> {
  const bytes = await file.at(start, 64);
  const text = bytes.toString('latin1');
  const [xing, vbri] = [text.search(/Xing|Info/), text.indexOf('VBRI')];
  const at = xing >= 0 ? xing + 8 : vbri >= 0 ? vbri + 14 : -1;
  if (at < 0 || at + 4 > bytes.length) return { isPresent: false, frames: null };
  const isCounted = xing < 0 || (bytes.readUInt8(xing + 7) & 1) === 1;
  const frames = isCounted ? bytes.readUInt32BE(at) : 0;
  const isPossible = frames > 0 && frames * minFrameBytes <= file.sizeBytes;
  return { isPresent: true, frames: isPossible ? frames : null };
}

/** Where the sound begins; 0 without tags. */
export async function endOfId3(file: FileBytes): Promise<number> {
  let at = 0;
  for (let tags = 0; tags < maxTags; tags++) {
    const head = await file.at(at, id3HeadBytes);
    if (head.length < id3HeadBytes || head.toString('latin1', 0, 3) !== 'ID3') break;
    at +=
      id3HeadBytes + [6, 7, 8, 9].reduce((size, offset) => size * 128 + (head.readUInt8(offset) & 127), 0);
  }
  return at;
}

async function findFrame(file: FileBytes, from: number, readFrame: ReadFrame): Promise<number | null> {
  const bytes = await file.at(from, maxGapBytes);
  const found = firstFrame(bytes, readFrame, from + bytes.length === file.sizeBytes);
  return found < 0 ? null : from + found;
}

async function secondsFrom(file: FileBytes, start: number, readFrame: ReadFrame): Promise<number> {
  let seconds = 0;
  for (let at: number | null = start; at !== null && at < file.sizeBytes; ) {
    const frame = readFrame(await file.at(at, frameHeaderBytes));
    if (frame !== null && at + frame.bytes <= file.sizeBytes) seconds += frame.seconds;
    at = frame === null ? await findFrame(file, at + 1, readFrame) : at + frame.bytes;
  }
  return seconds;
}
