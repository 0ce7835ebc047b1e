export type Following = 'nothing' | 'read' | 'wait' | 'stream' | 'cancel' | 'list';

export type Work = {
  model: string;
  input: Record<string, unknown>;
  hasUpload: boolean;
  following: Following;
};

const text = (nth: number, more: object) => ({
  model: 'sandbox-text',
  input: { prompt: `soak ${nth}`, ...more },
});

/** A fixed mix of everything that users do, mostly text. */
export function workOf(nth: number): Work {
  const turn = nth % 100;
  const following = followings[turn] ?? 'nothing';
  if (turn === 50) return { model: 'image-transform', input: { width: 16 }, hasUpload: true, following };
  if (turn % 33 === 7) {
    const input = { prompt: `picture ${nth}`, width: 64, height: 64 };
    return { model: 'sandbox-image', input, hasUpload: false, following };
  }
  const plain = { hasUpload: false, following };
  if (following === 'cancel') return { ...text(nth, { mode: 'callback', delay_ms: 3000 }), ...plain };
  if (turn % 25 === 3) return { ...text(nth, { fail: 'CONTENT_MODERATION_REJECTED' }), ...plain };
  if (turn === 29) return { ...text(nth, { fail: 'GENERATION_FAILED' }), ...plain };
  const delayMs = turn % 10 === 1 ? 1000 : 0;
  return { ...text(nth, { mode: turn % 2 ? 'sync' : 'callback', delay_ms: delayMs }), ...plain };
}

const followings: Record<number, Following> = {
  1: 'wait',
  5: 'read',
  10: 'list',
  15: 'cancel',
  21: 'stream',
  25: 'read',
  45: 'read',
  57: 'wait',
  65: 'cancel',
  75: 'list',
  85: 'read',
};
