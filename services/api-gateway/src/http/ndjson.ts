import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export const ndjsonType = 'application/x-ndjson';

/** What a response may hold of lines that its client has not read yet. */
const maxUnreadBytes = 1_048_576;

export type LineWriter = {
  /** Writes a line at once, without waiting for the client; false: it reads too slowly, and the line was dropped. */
  offer(line: unknown): boolean;
  /** Writes JSON that is a line each, and waits until the client has read most of it. Rejects when it is gone. */
  write(text: string): Promise<void>;
  /** Writes an empty line, which readers ignore, if the client has read everything. */
  keepOpen(): void;
  end(): void;
};

/** A response of lines of JSON. Its head is sent with the first line. */
export function openLines(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): LineWriter {
  function sendHead(): void {
    if (response.headersSent) return;
    response.statusCode = status;
    response.setHeader('Content-Type', ndjsonType);
    response.setHeader('Cache-Control', 'no-store');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }

  return {
    offer(line) {
      if (response.writableLength > maxUnreadBytes) return false;
      sendHead();
      response.write(`${JSON.stringify(line)}\n`);
      return true;
    },
    async write(text) {
      sendHead();
      if (response.destroyed) throw new Error('the client has disconnected');
      if (response.write(text) || response.writableLength <= maxUnreadBytes) return;
      const closed = new AbortController();
      const onClose = () => closed.abort();
      response.once('close', onClose);
      try {
        await once(response, 'drain', { signal: closed.signal });
      } finally {
        response.off('close', onClose);
      }
    },
    keepOpen() {
      if (response.writableLength > 0) return;
      sendHead();
      response.write('\n');
    },
    end() {
      sendHead();
      response.end();
    },
  };
}
