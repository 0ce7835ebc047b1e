import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A container that speaks Cog and counts how many runs it is at. */
export type FakeContainer = {
  baseUrl: string;
  /** The inputs, in the order in which the runs started. */
  begun: string[];
  /** The most runs at once since `forget`. */
  maxOpen(): number;
  now(): number;
  forget(): void;
  /** Runs end no sooner than this says. */
  runsTake(ms: number): void;
  /** The maximum of concurrent runs, above which it returns 409; null: no maximum. */
  slots(count: number | null): void;
  /** Every run that is not under way yet gets this; null: none does. */
  refuse(refusal: Refusal | null): void;
  /** How many runs were refused since `forget`. */
  refused(): number;
  /** No run ends until `open`. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
};

type Refusal = { status: number; headers?: Record<string, string> };

export async function startFakeContainer(): Promise<FakeContainer> {
  const begun: string[] = [];
  const runs = new Map<string, Promise<void>>();
  let [now, maxOpen, tookMs, refused] = [0, 0, 0, 0];
  let slots: number | null = null;
  let refusal: Refusal | null = null;
  let gate = Promise.withResolvers<void>();
  gate.resolve();

  async function run(prompt: string): Promise<void> {
    begun.push(prompt);
    now += 1;
    maxOpen = Math.max(maxOpen, now);
    await Promise.all([delay(tookMs), gate.promise]);
    now -= 1;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const id = request.url?.split('/').at(-1) ?? '';
    if (request.method === 'PUT') {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: { prompt: string } };
      // A poll joins the run.
      const refusedBy = runs.has(id)
        ? null
        : (refusal ?? (slots !== null && now >= slots ? { status: 409 } : null));
      if (refusedBy !== null) {
        refused += 1;
        response.writeHead(refusedBy.status, refusedBy.headers).end(JSON.stringify({ detail: 'busy' }));
        return;
      }
      const running = runs.get(id) ?? run(input.prompt);
      runs.set(id, running);
      await running;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id, status: 'succeeded', output: 'hello' }));
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begun,
    maxOpen: () => maxOpen,
    now: () => now,
    forget() {
      begun.length = 0;
      maxOpen = now;
      refused = 0;
    },
    runsTake(ms) {
      tookMs = ms;
    },
    slots(count) {
      slots = count;
    },
    refuse(what) {
      refusal = what;
    },
    refused: () => refused,
    shut() {
      gate = Promise.withResolvers<void>();
    },
    open: () => gate.resolve(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
