import { writeFile } from 'node:fs/promises';
import { CustomSource, Input, Logging, LogLevel, MATROSKA, MP4, OGG, QTFF, WEBM } from 'mediabunny';
import type { FromReader, ToReader } from './containers.ts';
import { durationMs, type Measures, pixels, unknown } from './measures.ts';

/** A process of its own: see `containers.ts`. It measures one file at a time, whose bytes it asks for. */

const formats = [MP4, QTFF, WEBM, MATROSKA, OGG];
const cacheBytes = 1_048_576;

const send = (message: FromReader) => process.send?.(message);
let bytesByRead = new Map<number, (bytes: Uint8Array) => void>();
let reads = 0;

// It comments on codecs that it cannot decode.
Logging.level = LogLevel.Silent;

process.on('message', (message: ToReader) => {
  if ('sizeBytes' in message) void measureFile(message.sizeBytes);
  else bytesByRead.get(message.read)?.(message.bytes);
});

// Where memory is short, the kernel ends this process before its parent.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {});
send({ isReady: true });

async function measureFile(sizeBytes: number): Promise<void> {
  bytesByRead = new Map();
  const source = new CustomSource({
    getSize: () => sizeBytes,
    read,
    maxCacheSize: cacheBytes,
    prefetchProfile: 'network',
    handleUnhandledError: () => {},
  });
  const input = new Input({ formats, source });
  const measures = await measuresOf(input).catch(() => unknown);
  input.dispose();
  send({ measures });
}

function read(start: number, end: number): Promise<Uint8Array> {
  reads += 1;
  const read = reads;
  send({ read, start, end: end - 1 });
  return new Promise((resolve) => bytesByRead.set(read, resolve));
}

async function measuresOf(input: Input): Promise<Measures> {
  const video = await input.getPrimaryVideoTrack();
  const size = video ? pixels(await video.getDisplayWidth(), await video.getDisplayHeight()) : unknown;
  return { ...size, durationMs: durationMs(await secondsOf(input).catch(() => 0)) };
}

/** A recording that was cut from a live stream may begin at any time. */
async function secondsOf(input: Input): Promise<number> {
  const declared = await input.getDurationFromMetadata();
  if (declared !== null && declared > 0) return declared;
  const end = await input.computeDuration();
  return end - Math.max(0, await input.getFirstTimestamp());
}
