import type { IncomingMessage } from 'node:http';
import type { KnownRequest } from '@holdfast/db/faceRequests';

/** The shortest and the longest pause before a try, in seconds. */
type Pause = readonly [minS: number, maxS: number];

/**
 * Clients that keep their connections open, and repeat a request without saying so. A connection of theirs that closes right
 * after a response has lost it on the way, behind a proxy. By how their user agents begin, with the pause before the second try
 * and each further one; the last is that before all others.
 */
const repeaters: readonly (readonly [userAgent: string, pauses: readonly Pause[]])[] = [
  ['replicate-javascript/', [[0, 0]]],
  // Half as long for a run that is waited for as for one in the queue.
  ['@fal-ai/client/', [1, 2, 4].map((meanS) => [(meanS / 2) * 0.75, meanS * 1.25] as const)],
  ['fal-client/', Array.from({ length: 9 }, (_, tries) => pythonPause(2 ** tries / 10))],
];

/** Async calls wait for 10 s at most, others for 30. */
function pythonPause(meanS: number): Pause {
  return [Math.min(meanS, 10) / 2, Math.min(meanS * 1.5, 30)];
}

/** What comes to a pause on the way, or is lost of it until the gateway sees that a connection has closed. */
const lateS = 2;
const earlyS = 0.25;

/** Tries that may have been cut before the gateway had read them. */
const maxUnseen = 1;

function pausesOf({ headers }: IncomingMessage): readonly Pause[] | null {
  const agent = headers['user-agent'] ?? '';
  return repeaters.find(([start]) => agent.startsWith(start))?.[1] ?? null;
}

export function isSilentRepeater(request: IncomingMessage): boolean {
  return pausesOf(request) !== null;
}

type Lost = Pick<KnownRequest, 'tries'> & { deliveredS: number; closedS: number };

/** Whether a client, whose connection has closed after a response, repeats its request when this one arrived. */
export function isTimeToRepeat(request: IncomingMessage, { deliveredS, closedS, tries }: Lost): boolean {
  const pauses = pausesOf(request) ?? [];
  const after = (number: number) =>
    pauses[Math.min(number, pauses.length) - 1] ?? [0, Number.NEGATIVE_INFINITY];
  const [[minS], [, maxS]] = [after(tries), after(tries + maxUnseen)];
  const hasPaused = minS === 0 || deliveredS >= minS - earlyS;
  return hasPaused && closedS < maxS + lateS;
}
