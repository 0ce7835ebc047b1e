import { randomInt } from 'node:crypto';

/** An execution to create, and its expected final state. */
export type ExpectedExecution = {
  model: string;
  input: Record<string, unknown>;
  /** Cancelled as soon as it is accepted. */
  cancel: boolean;
  ends: { status: string; errorCode: string | null; cost: string | null };
};

const rejected = 'CONTENT_MODERATION_REJECTED';

function text(index: number, delayMs: number) {
  const mode = index % 2 === 0 ? 'sync' : 'callback';
  return { model: 'sandbox-text', input: { prompt: `number ${index}`, delay_ms: delayMs, mode } };
}

function image(index: number) {
  const input = { prompt: `image ${index}`, width: 64, height: 64, delay_ms: randomInt(200, 3000) };
  return { model: 'sandbox-image', input };
}

/** Two of 20 executions make images, one fails and one is cancelled; the others write a text, half of them by callback. */
export function expectedExecution(index: number): ExpectedExecution {
  const kind = index % 20;
  const done = { status: 'COMPLETED', errorCode: null };
  if (kind === 0 || kind === 11) return { ...image(index), cancel: false, ends: { ...done, cost: '0.04' } };
  if (kind === 13) {
    // Long enough to be cancelled before it completes.
    const ends = { status: 'CANCELLED', errorCode: null, cost: null };
    return { ...text(index, 120_000), cancel: true, ends };
  }
  const expected = { ...text(index, randomInt(200, 3000)), cancel: false };
  if (kind !== 7) return { ...expected, ends: { ...done, cost: '0.01' } };
  const ends = { status: 'FAILED', errorCode: rejected, cost: null };
  return { ...expected, input: { ...expected.input, fail: rejected }, ends };
}
