import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenAt } from '@holdfast/kit/health';
import { type Answer, answerTo } from './answer.ts';
import type { ListenFlags } from './flags.ts';
import { type Before, createHistory, type History } from './history.ts';
import { type Delivered, type EventFields, isTaken } from './line.ts';
import { problemOf } from './verify.ts';

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
    const answer = problem === null ? await answerTo(taken, flags, ending.signal) : refusal;
    const isLate = request.socket.destroyed;
    const isGood = isTaken(answer.status) && !isLate;
    const before = problem === null ? noted(history, event.id ?? '', isGood) : { times: 0, wasTaken: false };
    const remark = isLate ? 'too late: the sender no longer waits' : answer.remark;
    show({ at, event, problem, before, answered: answer.status, remark }, text);
    response.writeHead(answer.status, answer.headers).end(answer.body);
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

const refusal: Answer = { status: 401, headers: {}, body: '', remark: null };

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
