import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toApiError } from '../../http/errors.ts';
import { openaiError } from './errors.ts';

const pingMs = 10_000;

export type OpenaiEvents = {
  /** Aborts when the client is gone. */
  over: AbortController;
  /** Waits for a client that reads slowly. `event`: its name, where the protocol has one. */
  write(data: unknown, event?: string): Promise<void>;
  /** Writes the text of the last events as it comes, without comments in between. */
  writeLast(pieces: AsyncIterable<string>): Promise<void>;
  /** An error in the middle of a stream is an event. */
  fail(error: unknown): Promise<void>;
  end(): void;
};

/** Server-sent events as OpenAI's clients read them: `data` alone or with a name, and comments that keep proxies open. */
export function openEventStream(response: ServerResponse, headers: Record<string, string>): OpenaiEvents {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    ...headers,
  });
  const over = new AbortController();
  const ping = setInterval(() => void response.write(': ping\n\n'), pingMs);
  response.once('close', () => {
    clearInterval(ping);
    over.abort();
  });
  async function write(data: unknown, event?: string): Promise<void> {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    const hasRoom = response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    if (!hasRoom && !over.signal.aborted) await drained(response, over.signal);
  }
  return {
    over,
    write,
    async writeLast(pieces) {
      clearInterval(ping);
      await pipeline(Readable.from(pieces), response, { end: false });
    },
    fail: (error) => write(openaiError(toApiError(error))),
    end() {
      clearInterval(ping);
      response.end();
    },
  };
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
