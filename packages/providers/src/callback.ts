import type { Callback, Submission } from './interface.ts';

export function awaitsCallback({ mode, callbackUrl }: Submission): boolean {
  return mode === 'callback' && callbackUrl !== null;
}

/** As in Standard Webhooks: one with another timestamp may be a replay. */
const toleranceS = 300;

/** Whether a signed timestamp, in seconds since 1970, is that of the arrival. */
export function isTimely(
  timestampS: string | undefined,
  { receivedAtMs }: Pick<Callback, 'receivedAtMs'>,
): boolean {
  return (
    timestampS !== undefined &&
    /^\d{1,12}$/.test(timestampS) &&
    Math.abs(receivedAtMs / 1000 - Number(timestampS)) <= toleranceS
  );
}
