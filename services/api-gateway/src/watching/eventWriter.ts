import type { ServerResponse } from 'node:http';

const heartbeatMs = 15_000;
/** A client that reads nothing for so long is hung up on. */
const patienceMs = 60_000;
/** After how long a client that lost the stream comes again. */
const retryMs = 2000;

export type EventWriter = {
  /** Resolves once there is room for another, or the client is gone. */
  write(event: { id: string; type: string; data: unknown }): Promise<void>;
  end(): void;
};

/** Writes server-sent events, with a comment as a sign of life in between. */
export function openEventWriter(response: ServerResponse): EventWriter {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Asks proxies in front not to hold events back.
    'X-Accel-Buffering': 'no',
  });
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n');
  }, heartbeatMs);
  response.once('close', () => clearInterval(heartbeat));
  return {
    async write({ id, type, data }) {
      const hasRoom = response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!hasRoom) await drained(response);
    },
    end() {
      clearInterval(heartbeat);
      response.end();
    },
  };
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(() => response.destroy(), patienceMs);
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
  clearTimeout(patience);
}
