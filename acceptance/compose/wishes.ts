import { randomInt } from 'node:crypto';

/** An execution to ask for, and how it has to end. */
export type Wish = {
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

function picture(index: number) {
  const input = { prompt: `picture ${index}`, width: 64, height: 64, delay_ms: randomInt(200, 3000) };
  return { model: 'sandbox-image', input };
}

/** Of 20: two pictures, one that fails, one that is cancelled; the others write a text, half of them by callback. */
export function wishOf(index: number): Wish {
  const kind = index % 20;
  const done = { status: 'COMPLETED', errorCode: null };
  if (kind === 0 || kind === 11) return { ...picture(index), cancel: false, ends: { ...done, cost: '0.04' } };
  if (kind === 13) {
    // Too long to be done before the word comes.
    const ends = { status: 'CANCELLED', errorCode: null, cost: null };
    return { ...text(index, 120_000), cancel: true, ends };
  }
  const wish = { ...text(index, randomInt(200, 3000)), cancel: false };
  if (kind !== 7) return { ...wish, ends: { ...done, cost: '0.01' } };
  const ends = { status: 'FAILED', errorCode: rejected, cost: null };
  return { ...wish, input: { ...wish.input, fail: rejected }, ends };
}
