import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from './customer.ts';
import type { Fault } from './faults.ts';
import { withRetries } from './retries.ts';

/** Milliseconds since 1970. */
export type Span = { from: number; to: number };

const width = 32;
const everyMs = 40;

/** One of ten executions makes an image; the others write a text, half of them by callback. */
function requestOf(index: number) {
  const delay_ms = randomInt(200, 3000);
  if (index % 10 === 0)
    return { model: 'sandbox-image', input: { prompt: `image ${index}`, width: 64, height: 64, delay_ms } };
  const mode = index % 2 === 0 ? 'sync' : 'callback';
  return { model: 'sandbox-text', input: { prompt: `number ${index}`, delay_ms, mode } };
}

async function createOne({ api }: Customer, index: number, accepted: Set<string>): Promise<void> {
  const headers = { 'idempotency-key': `compose-${index}` };
  const { status, body } = await withRetries(() => api.post('/v1/executions', requestOf(index), headers));
  if (status !== 202) throw new Error(`create ${index}: ${status} ${JSON.stringify(body)}`);
  accepted.add(String(body['id']));
}

/** Creates `from` to `to` at an even pace, at most `width` at a time. */
async function createRange(
  customer: Customer,
  { from, to }: { from: number; to: number },
  accepted: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  let next = from;
  const startedMs = performance.now();
  const worker = async () => {
    while (next < to) {
      const index = next++;
      const dueMs = startedMs + (index - from) * everyMs;
      await delay(Math.max(0, dueMs - performance.now()), undefined, { signal });
      await createOne(customer, index, accepted);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Triggers the fault during its share, and returns its time span. */
async function timeOf(fault: Fault, signal: AbortSignal): Promise<Span> {
  await delay(1000, undefined, { signal });
  const from = Date.now();
  await fault.happen();
  return { from, to: Date.now() };
}

/** Creates `count` executions in one share per fault; each fault happens during its share. */
export async function createDuring(args: {
  customer: Customer;
  count: number;
  faults: Fault[];
  say: (line: string) => void;
  signal: AbortSignal;
}): Promise<{ accepted: Set<string>; losses: Span[] }> {
  const { customer, count, faults, say, signal } = args;
  const accepted = new Set<string>();
  const losses: Span[] = [];
  const edge = (share: number) => Math.round((count * share) / faults.length);
  for (const [share, fault] of faults.entries()) {
    const range = { from: edge(share), to: edge(share + 1) };
    const creating = createRange(customer, range, accepted, signal);
    const [span] = await Promise.all([timeOf(fault, signal), creating]);
    if (fault.losesRuns) losses.push(span);
    const seconds = ((span.to - span.from) / 1000).toFixed(1);
    say(`${fault.name}: healthy after ${seconds} s; ${accepted.size} accepted so far`);
  }
  return { accepted, losses };
}
