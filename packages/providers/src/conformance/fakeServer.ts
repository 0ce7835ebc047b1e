import type { IncomingHttpHeaders } from 'node:http';
import { type StreamedBody, startWireServer, type WireReply, type WireRequest } from './wireServer.ts';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; json: unknown };

/** A response of the fake server, or one of the ways in which servers fail. */
export type Reply =
  | {
      status: number;
      headers?: Record<string, string>;
      json?: unknown;
      text?: string;
      bytes?: Buffer;
      stream?: StreamedBody;
    }
  | 'silence'
  | 'reset'
  | 'half a body'
  | '2 MiB';

export type FakeServer = {
  baseUrl: string;
  received: Received[];
  /** The responses to the next requests; the last one is repeated. */
  reply(...replies: Reply[]): void;
  /** Resolves once a request has come in and its socket is closed again. */
  hungUp: Promise<void>;
  close(): Promise<void>;
};

/** A provider on a free loopback port that returns the responses of a test. */
export async function startFakeServer(): Promise<FakeServer> {
  const received: Received[] = [];
  let replies: Reply[] = [{ status: 500 }];
  const server = await startWireServer((request) => {
    received.push(asReceived(request));
    const reply = replies[0] ?? 'reset';
    if (replies.length > 1) replies = replies.slice(1);
    return asSent(reply);
  });
  return {
    baseUrl: server.origin,
    received,
    hungUp: server.hungUp,
    reply(...given) {
      replies = given;
    },
    close: server.close,
  };
}

/** `json` is the text of a body that is not JSON. */
function asReceived({ method, path, headers, json, body }: WireRequest): Received {
  const text = body.length === 0 ? undefined : body.toString('utf8');
  return { method, path, headers, json: json ?? text };
}

function asSent(reply: Reply): WireReply {
  if (typeof reply === 'string') return reply;
  const { text, bytes, stream, json = {}, ...head } = reply;
  if (stream !== undefined) return { ...head, stream };
  if (bytes !== undefined) return { ...head, bytes };
  return text === undefined ? { ...head, json } : { ...head, text };
}
