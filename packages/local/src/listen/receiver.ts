import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import { listenAt } from '@holdfast/kit/http';
import { reasonOf } from '@holdfast/kit/within';
import type { ListenFlags } from './flags.ts';
import { type Delivered, type EventFields, isTaken } from './line.ts';

export type Receiver = {
  url: string;
  /** Deliveries wait for the secret that verifies them. */
  setSecret(secret: string): void;
  close(): void;
};

type Show = (delivered: Delivered, body: string) => void;

/** Listens on a loopback port. @throws when it is in use */
export async function startReceiver(port: number, flags: ListenFlags, show: Show): Promise<Receiver> {
  const ending = new AbortController();
  const history = createHistory();
  const secret = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const taken = { body: Buffer.concat(await request.toArray()), headers: request.headers };
    const at = new Date();
    const text = taken.body.toString();
    // The first delivery may come before the response with the secret.
    const problem = problemOf(text, taken.headers, await secret.promise);
    const event = fieldsOf(text);
    const reply = problem === null ? await replyTo(taken, flags, ending.signal) : unauthorized;
    const isLate = request.socket.destroyed;
    const isGood = isTaken(reply.status) && !isLate;
    const before = problem === null ? noted(history, event.id ?? '', isGood) : { times: 0, wasTaken: false };
    const remark = isLate ? 'too late: the sender no longer waits' : reply.remark;
    show({ at, event, problem, before, responseStatus: reply.status, remark }, text);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  return {
    url: `http://127.0.0.1:${await listenAt(server, { host: '127.0.0.1', port })}/`,
    setSecret: secret.resolve,
    close() {
      ending.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

const unauthorized: Reply = { status: 401, headers: {}, body: '', remark: null };

function noted(history: History, eventId: string, taken: boolean): Before {
  const before = history.before(eventId);
  history.note(eventId, taken);
  return before;
}

function fieldsOf(text: string): EventFields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** How often an event came before, and whether it was accepted then. */
export type Before = { times: number; wasTaken: boolean };

export type History = { before(eventId: string): Before; note(eventId: string, taken: boolean): void };

function createHistory(): History {
  const events = new Map<string, Before>();
  const before = (eventId: string) => events.get(eventId) ?? { times: 0, wasTaken: false };
  return {
    before,
    note(eventId, taken) {
      const { times, wasTaken } = before(eventId);
      events.set(eventId, { times: times + 1, wasTaken: wasTaken || taken });
    },
  };
}

export type Taken = { body: Buffer; headers: IncomingHttpHeaders };
export type Reply = { status: number; headers: Record<string, string>; body: string; remark: string | null };

const forwardTimeoutMs = 30_000;

/** Headers of one connection, not forwarded. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/** The response to an authentic delivery, by the flags. Rejects with an AbortError when `signal` aborts. */
export async function replyTo(taken: Taken, flags: ListenFlags, signal: AbortSignal): Promise<Reply> {
  if (flags.slowMs > 0) await delay(flags.slowMs, undefined, { signal });
  if (flags.forwardTo) return await forwarded(taken, flags.forwardTo);
  return { status: flags.failWith ?? 200, headers: {}, body: '', remark: null };
}

/** Forwards it unchanged and returns that response; 502 when there was none. */
async function forwarded({ body, headers }: Taken, url: URL): Promise<Reply> {
  const passed = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  try {
    const forwardedResponse = await fetch(url, {
      method: 'POST',
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
    });
    const kept = ['content-type', 'retry-after'].flatMap((name): [string, string][] => {
      const value = forwardedResponse.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return {
      status: forwardedResponse.status,
      headers: Object.fromEntries(kept),
      body: await forwardedResponse.text(),
      remark: null,
    };
  } catch (error) {
    const reason = error instanceof Error && error.cause ? error.cause : error;
    return { status: 502, headers: {}, body: '', remark: `${url.href}: ${reasonOf(reason)}` };
  }
}

const toleranceS = 300;

/** Checks both signatures, as a receiver should. Null: authentic. */
export function problemOf(body: string, headers: IncomingHttpHeaders, secret: string): string | null {
  const eventId = String(headers['webhook-id']);
  const timestampS = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - timestampS) <= toleranceS)) return 'its timestamp is missing or old';
  const signers = { current: signingKeys(secret), previous: null, isPreviousPrimary: false };
  const expected = signatureHeaders({ signers, eventId, timestampS, body });
  if (headers['x-signature-timestamp'] !== expected['X-Signature-Timestamp'])
    return 'X-Signature-Timestamp differs';
  if (headers['x-signature'] !== expected['X-Signature']) return 'X-Signature is wrong';
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures.includes(expected['webhook-signature']) ? null : 'webhook-signature is wrong';
}
