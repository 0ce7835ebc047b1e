import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from './customer.ts';
import type { Fault } from './faults.ts';
import { surely } from './surely.ts';
import { type Wish, wishOf } from './wishes.ts';

/** What the API has accepted: id -> what was asked for. */
export type Accepted = Map<string, Wish>;

/** Milliseconds since 1970. */
export type Span = { from: number; to: number };

const width = 32;
const everyMs = 40;

async function cancel({ api }: Customer, id: string): Promise<void> {
  const { status, body } = await surely(() => api.post(`/v1/executions/${id}/cancel`));
  // 409: an earlier try of ours was heard, and only its answer was lost.
  if (status !== 200 && status !== 409) throw new Error(`cancel: ${status} ${JSON.stringify(body)}`);
}

async function fulfil(customer: Customer, index: number, accepted: Accepted): Promise<void> {
  const wish = wishOf(index);
  const headers = { 'idempotency-key': `compose-${index}` };
  const request = { model: wish.model, input: wish.input };
  const { status, body } = await surely(() => customer.api.post('/v1/executions', request, headers));
  if (status !== 202) throw new Error(`create ${index}: ${status} ${JSON.stringify(body)}`);
  accepted.set(String(body['id']), wish);
  if (wish.cancel) await cancel(customer, String(body['id']));
}

/** Creates `from` to `to` at an even pace, `width` at a time at most. */
async function createRange(
  customer: Customer,
  { from, to }: { from: number; to: number },
  accepted: Accepted,
  signal: AbortSignal,
): Promise<void> {
  let next = from;
  const startedMs = performance.now();
  const worker = async () => {
    while (next < to) {
      const index = next++;
      const dueMs = startedMs + (index - from) * everyMs;
      await delay(Math.max(0, dueMs - performance.now()), undefined, { signal });
      await fulfil(customer, index, accepted);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Lets it happen when the share is under way; answers when that was. */
async function timeOf(fault: Fault, signal: AbortSignal): Promise<Span> {
  await delay(1000, undefined, { signal });
  const from = Date.now();
  await fault.happen();
  return { from, to: Date.now() };
}

/** Puts `count` executions through in as many shares as there are faults; each happens in the middle of its share. */
export async function createDuring(args: {
  customer: Customer;
  count: number;
  faults: Fault[];
  say: (line: string) => void;
  signal: AbortSignal;
}): Promise<{ accepted: Accepted; losses: Span[] }> {
  const { customer, count, faults, say, signal } = args;
  const accepted: Accepted = new Map();
  const losses: Span[] = [];
  const edge = (share: number) => Math.round((count * share) / faults.length);
  for (const [share, fault] of faults.entries()) {
    const range = { from: edge(share), to: edge(share + 1) };
    const creating = createRange(customer, range, accepted, signal);
    const [span] = await Promise.all([timeOf(fault, signal), creating]);
    if (fault.losesRuns) losses.push(span);
    const seconds = ((span.to - span.from) / 1000).toFixed(1);
    say(`${fault.name}: all well after ${seconds} s; ${accepted.size} accepted so far`);
  }
  return { accepted, losses };
}
