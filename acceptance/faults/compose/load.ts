import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from './customer.ts';
import { type ExpectedExecution, expectedExecution } from './expectedExecutions.ts';
import type { Fault } from './faults.ts';
import { withRetries } from './retries.ts';

/** The accepted executions: id -> expected execution. */
export type Accepted = Map<string, ExpectedExecution>;

/** Milliseconds since 1970. */
export type Span = { from: number; to: number };

const width = 32;
const everyMs = 40;

async function cancel({ api }: Customer, id: string): Promise<void> {
  const { status, body } = await withRetries(() => api.post(`/v1/executions/${id}/cancel`));
  // 409: an earlier try succeeded, and its response was lost.
  if (status !== 200 && status !== 409) throw new Error(`cancel: ${status} ${JSON.stringify(body)}`);
}

async function createOne(customer: Customer, index: number, accepted: Accepted): Promise<void> {
  const expected = expectedExecution(index);
  const headers = { 'idempotency-key': `compose-${index}` };
  const request = { model: expected.model, input: expected.input };
  const { status, body } = await withRetries(() => customer.api.post('/v1/executions', request, headers));
  if (status !== 202) throw new Error(`create ${index}: ${status} ${JSON.stringify(body)}`);
  accepted.set(String(body['id']), expected);
  if (expected.cancel) await cancel(customer, String(body['id']));
}

/** Creates `from` to `to` at an even pace, at most `width` at a time. */
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
    say(`${fault.name}: healthy after ${seconds} s; ${accepted.size} accepted so far`);
  }
  return { accepted, losses };
}
