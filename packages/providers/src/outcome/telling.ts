import type { Telling } from '../interface.ts';

/** The share of a progress bar as tqdm draws it: ` 45%|####`. */
const bar = /(\d{1,3})%\|/g;
/** A bar's last state stands at the end of a log. */
const lookedAt = 4096;

/** What a run's log so far tells: itself, and how far the last progress bar in it has come. */
export function tellingOfLogs(logs: unknown): Telling {
  if (typeof logs !== 'string' || logs === '') return {};
  const percent = Number([...logs.slice(-lookedAt).matchAll(bar)].at(-1)?.[1] ?? Number.NaN);
  return { logs, ...(percent <= 100 && { progress: percent / 100 }) };
}
