import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { eventStreamHeaders, writeAtPace } from '../watching/serverSentEvents.ts';

type StreamCall = {
  context: Pick<Context, 'streams' | 'responses'>;
  caller: Pick<Caller, 'organizationId' | 'apiKeyId'>;
  raw: { response: ServerResponse };
};

const pingMs = 10_000;

export type FaceEvents = {
  /** Aborts when the client is gone. */
  over: AbortController;
  /** Waits for a client that reads slowly. `event` and `id`: its name and its id, where the protocol has them. */
  write(data: unknown, event?: string, id?: string | number): Promise<void>;
  /** Writes the text of events as it comes, without comments in between. */
  writePieces(pieces: AsyncIterable<string>): Promise<void>;
  /** Whether their text broke off. */
  isInEvent(): boolean;
  end(): void;
  /** Breaks off a stream that is not whole: its client sees it, and a repetition joins the execution. */
  cut(): void;
};

const withSlot = new WeakSet<ServerResponse>();

/**
 * Takes the slot of a stream, until the response has ended. Before a create that streams: else a client without a slot would
 * pay for what it never gets. @throws ApiError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export function takeStreamSlot({ context, caller, raw: { response } }: StreamCall): void {
  if (withSlot.has(response)) return;
  const release = context.streams.take(caller.organizationId, caller.apiKeyId);
  withSlot.add(response);
  // Also of a client that has left already.
  finished(response, release);
}

/**
 * Server-sent events as the clients of faces read them: `data` alone or with a name, and comments that keep proxies open. A
 * stream counts as those of `/v1` do. @throws ApiError RATE_LIMITED, SERVICE_UNAVAILABLE: a repetition joins the execution
 */
export function openEventStream(call: StreamCall, headers: Record<string, string>): FaceEvents {
  const { response } = call.raw;
  takeStreamSlot(call);
  const hold = call.context.responses.open(call.caller.organizationId);
  response.writeHead(200, { ...eventStreamHeaders, ...headers });
  const over = new AbortController();
  let isInEvent = false;
  const ping = setInterval(() => {
    if (!isInEvent && !response.writableNeedDrain) response.write(': ping\n\n');
  }, pingMs);
  // Also of a client that has left already.
  finished(response, () => {
    clearInterval(ping);
    over.abort();
  });
  const send = (text: string) => writeAtPace(response, text, hold);
  return {
    over,
    async write(data, event, id) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const lines = [
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...(event === undefined ? [] : [`event: ${event}`]),
        ...text.split(/\r\n|\n|\r/).map((line) => `data: ${line}`),
      ];
      await send(`${lines.join('\n')}\n\n`);
    },
    async writePieces(pieces) {
      for await (const piece of pieces) {
        if (over.signal.aborted) return;
        isInEvent = true;
        await send(piece);
      }
      isInEvent = false;
    },
    isInEvent: () => isInEvent,
    end() {
      clearInterval(ping);
      response.end();
    },
    cut: () => void response.destroy(),
  };
}
