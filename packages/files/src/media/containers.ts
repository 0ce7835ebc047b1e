import { on } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { limits } from '@holdfast/domain/limits';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';
import type { ReadRange } from './bytes.ts';
import type { Measures } from './measures.ts';

/** Messages of `containerThread.ts`. `end` is inclusive. */
export type FromThread =
  | { isReady: true }
  | { read: number; start: number; end: number }
  | { measures: Measures };
export type ToThread = { sizeBytes: number } | { read: number; bytes: Uint8Array };

const maxThreads = 2;
const turns = createFairLimiter(maxThreads);
const idleThreads = new Map<Worker, NodeJS.Timeout>();
const idleMs = 10_000;

/** Until a thread has loaded the parser, which takes half a second, and more on a busy machine. */
const startMs = 20_000;
/** Of a parser between two reads. One that takes longer has a hostile file. */
const silenceMs = 2000;
/** The index of an hour of video has about three million bytes. */
const maxRangeBytes = 16 * 1024 * 1024;
const maxReadBytes = limits.maxFileBytes + 4 * maxRangeBytes;
/** An hour of WebM from a pipe needs some hundreds. */
const maxReads = 5000;
const options = {
  resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  // What the process preloads is not for this thread, and its secrets are not either.
  execArgv: [],
  env: {},
};

/**
 * Of MP4, QuickTime, Matroska, WebM and Ogg, by a library that believes a file's numbers. Therefore it runs in a thread,
 * which is ended when a file takes too much time or memory, and when there was nothing to measure for a while. @throws then, and if
 * reading fails
 */
export async function containerMeasures(sizeBytes: number, read: ReadRange): Promise<Measures> {
  return await turns('files', async () => {
    const idle = takeIdleThread();
    const thread = idle ?? startThread();
    try {
      const measures = await measureIn(thread, idle ? silenceMs : startMs, sizeBytes, read);
      idleThreads.set(thread, setTimeout(() => endThread(thread), idleMs).unref());
      return measures;
    } catch (error) {
      endThread(thread);
      throw error;
    }
  });
}

function takeIdleThread(): Worker | null {
  for (const [thread, timer] of idleThreads) {
    clearTimeout(timer);
    idleThreads.delete(thread);
    return thread;
  }
  return null;
}

function startThread(): Worker {
  const thread = new Worker(join(import.meta.dirname, 'containerThread.ts'), options);
  thread.unref();
  // Without a listener, the error of an idle thread would end this process.
  thread.on('error', () => endThread(thread));
  return thread;
}

function endThread(thread: Worker): void {
  idleThreads.delete(thread);
  void thread.terminate();
}

async function measureIn(
  thread: Worker,
  firstMs: number,
  sizeBytes: number,
  read: ReadRange,
): Promise<Measures> {
  const ending = new AbortController();
  const expire = () => ending.abort(new Error('a file took too long to measure'));
  let timer = setTimeout(expire, firstMs);
  let [leftBytes, leftReads] = [maxReadBytes, maxReads];
  try {
    const messages = on(thread, 'message', { signal: ending.signal });
    thread.postMessage({ sizeBytes } satisfies ToThread, []);
    for await (const [message] of messages as AsyncIterable<[FromThread]>) {
      clearTimeout(timer);
      if ('measures' in message) return message.measures;
      if ('read' in message) {
        const { start, end } = message;
        leftBytes -= end - start + 1;
        leftReads -= 1;
        if (leftBytes < 0 || leftReads < 0 || end - start >= maxRangeBytes) break;
        // A copy: a message contains all of the memory that a small buffer is part of.
        const bytes = new Uint8Array(await read(start, end));
        thread.postMessage({ read: message.read, bytes } satisfies ToThread, [bytes.buffer]);
      }
      timer = setTimeout(expire, silenceMs);
    }
    throw new Error('too much of a file would have to be read');
  } finally {
    clearTimeout(timer);
  }
}
