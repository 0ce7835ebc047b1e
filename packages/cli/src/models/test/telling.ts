import type { Telling } from '@holdfast/providers/interface';

/** Tells what is new of a run that goes on: its place in the queue, its progress, lines of its log. */
export function createTelling(tell: (line: string) => void): (told: Telling) => void {
  let state = '';
  let logged = '';
  return ({ progress, queuePosition, logs }) => {
    const parts = [
      ...(queuePosition === undefined ? [] : [`place ${queuePosition + 1} in its queue`]),
      ...(progress === undefined ? [] : [`${Math.round(progress * 100)} %`]),
    ];
    const now = parts.length > 0 ? `running: ${parts.join(', ')}` : '';
    if (now !== '' && now !== state) tell(now);
    state = now;
    if (logs === undefined) return;
    // The log so far, of which a provider may have dropped the beginning.
    const fresh = logs.startsWith(logged) ? logs.slice(logged.length) : logs;
    logged = logs;
    for (const line of fresh.split('\n')) if (line.trim() !== '') tell(`  | ${line}`);
  };
}
