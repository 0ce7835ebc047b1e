import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';
import { limits } from '@holdfast/domain/limits';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';
import type { ReadRange } from './bytes.ts';
import type { Measures } from './measures.ts';

/** Messages of `containerProcess.ts`. `end` is inclusive. */
export type FromReader =
  | { isReady: true }
  | { read: number; start: number; end: number }
  | { measures: Measures };
export type ToReader = { sizeBytes: number } | { read: number; bytes: Uint8Array };

// One at a time: each takes memory, and a file some milliseconds.
const turns = createFairLimiter(1);
const idleReaders = new Map<ChildProcess, NodeJS.Timeout>();
const idleMs = 10_000;

/** Until a reader has loaded the library, which takes half a second, and more on a busy machine. */
const startMs = 20_000;
/** A reader that takes longer between two reads has a hostile file. */
const silenceMs = 2000;
/** The index of an hour of video has about three million bytes. */
const maxRangeBytes = 16 * 1024 * 1024;
const maxReadBytes = limits.maxFileBytes + 4 * maxRangeBytes;
/** An hour of WebM from a pipe needs some hundreds. */
const maxReads = 5000;

/**
 * Measures MP4, QuickTime, Matroska, WebM and Ogg by a library that believes a file's numbers. Therefore it runs in a
 * process, which is ended when a file takes too much time or memory, and when there was nothing to measure for a while.
 * @throws then, and if reading fails
 */
export async function containerMeasures(sizeBytes: number, read: ReadRange): Promise<Measures> {
  return await turns('files', async () => {
    const idle = takeIdleReader();
    const reader = idle ?? startReader();
    try {
      const measures = await measureIn(reader, idle ? silenceMs : startMs, sizeBytes, read);
      idleReaders.set(reader, setTimeout(() => endReader(reader), idleMs).unref());
      return measures;
    } catch (error) {
      endReader(reader);
      throw error;
    }
  });
}

function takeIdleReader(): ChildProcess | null {
  for (const [reader, timer] of idleReaders) {
    clearTimeout(timer);
    idleReaders.delete(reader);
    return reader;
  }
  return null;
}

function startReader(): ChildProcess {
  const reader = fork(join(import.meta.dirname, 'containerProcess.ts'), {
    // What this process preloads is not for the reader, and its secrets are not either.
    execArgv: ['--max-old-space-size=64', '--max-semi-space-size=4'],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  reader.unref();
  reader.channel?.unref();
  reader.on('error', () => endReader(reader));
  reader.on('exit', () => endReader(reader));
  return reader;
}

function endReader(reader: ChildProcess): void {
  clearTimeout(idleReaders.get(reader));
  idleReaders.delete(reader);
  reader.kill('SIGKILL');
}

async function measureIn(
  reader: ChildProcess,
  firstMs: number,
  sizeBytes: number,
  read: ReadRange,
): Promise<Measures> {
  const ending = new AbortController();
  const fail = () => ending.abort(new Error('a file took too much time or memory to measure'));
  let timer = setTimeout(fail, firstMs);
  let [leftBytes, leftReads] = [maxReadBytes, maxReads];
  const send = (message: ToReader) => reader.send(message, () => {});
  reader.once('exit', fail);
  try {
    const messages = on(reader, 'message', { signal: ending.signal });
    send({ sizeBytes });
    for await (const [message] of messages as AsyncIterable<[FromReader]>) {
      clearTimeout(timer);
      if ('measures' in message) return message.measures;
      if ('read' in message) {
        const { start, end } = message;
        leftBytes -= end - start + 1;
        leftReads -= 1;
        if (leftBytes < 0 || leftReads < 0 || end - start >= maxRangeBytes) break;
        send({ read: message.read, bytes: await read(start, end) });
      }
      timer = setTimeout(fail, silenceMs);
    }
    throw new Error('too much of a file would have to be read');
  } finally {
    clearTimeout(timer);
    reader.off('exit', fail);
  }
}
