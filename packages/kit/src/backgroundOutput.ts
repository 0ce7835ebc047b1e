import { fstatSync, write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const retryFullPipeMs = 100;
const lastTextWithinMs = 2_000;
/** A quick reader empties a full pipe in less. */
const retryLastTextMs = 5;
/** A reader of the log that has stopped must not cost all memory. */
const maxWaitingLength = 8_388_608;
const nothing = Buffer.alloc(0);

/**
 * Lines collect while a write is under way, because a slow disk or reader must not keep requests waiting. What cannot be
 * written is dropped: a service whose log disk is full keeps serving, and ends when it should.
 */
export function backgroundOutput(fd: number): DestinationStream & { flush(done: () => void): void } {
  let unwritten = nothing;
  let lines: string[] = [];
  let waitingLength = 0;
  let isWriting = false;
  let onWritten: (() => void)[] = [];
  const takeText = () => {
    const text = Buffer.concat([unwritten, Buffer.from(lines.join(''))]);
    unwritten = nothing;
    lines = [];
    waitingLength = text.length;
    return text;
  };
  const writeSome = neverBlocks(fd) ? writeAtOnce : write;
  const writeText = () => {
    const text = takeText();
    isWriting = text.length > 0;
    if (!isWriting) return notifyWritten();
    writeSome(fd, text, (error, bytes) => {
      const isFull = error?.code === 'EAGAIN';
      if (isFull || !error) unwritten = text.subarray(bytes);
      if (isFull) setTimeout(writeText, retryFullPipeMs);
      else writeText();
    });
  };
  const notifyWritten = () => {
    for (const done of onWritten) done();
    onWritten = [];
  };
  process.once('exit', () => writeNow(fd, takeText()));
  return {
    write: (line) => {
      if (waitingLength > maxWaitingLength) return;
      waitingLength += line.length;
      lines.push(line);
      if (isWriting) return;
      isWriting = true;
      setImmediate(writeText);
    },
    /** `done` is called once all lines are written or dropped. */
    flush(done) {
      onWritten.push(done);
      if (!isWriting) notifyWritten();
    },
  };
}

/** A pipe or socket, as Node opens it for the standard output. */
function neverBlocks(fd: number): boolean {
  const found = fstatSync(fd);
  return found.isFIFO() || found.isSocket();
}

type Written = (error: NodeJS.ErrnoException | null, bytes: number) => void;

/** A thread could still be writing when the process exits, and the rest of its text would be lost. */
function writeAtOnce(fd: number, text: Buffer, written: Written): void {
  let bytes = 0;
  let failure = null;
  try {
    bytes = writeSync(fd, text);
  } catch (error) {
    failure = error as NodeJS.ErrnoException;
  }
  written(failure, bytes);
}

function writeNow(fd: number, text: Buffer): void {
  const giveUpAt = performance.now() + lastTextWithinMs;
  let rest = text;
  while (rest.length > 0 && performance.now() < giveUpAt) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryLastTextMs);
    }
  }
}
