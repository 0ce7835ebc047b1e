/** The longest time that a request waits for an execution. */
export const maxWaitS = 60;

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitS`; 0 without the preference. As the RFC says, the first of
 * several counts, and one that is not valid is ignored.
 */
export function preferredWaitS(header: string | string[] | undefined): number {
  // A quoted value may contain commas; only a number matters here.
  const text = (header ?? '')
    .toString()
    .replace(/"([^"]*)"/g, (_, value: string) => (/^\d+$/.test(value) ? value : '-'));
  const [first] = text
    .split(',')
    .map((preference) => preference.split(';', 1)[0]?.trim() ?? '')
    .filter((preference) => /^wait\s*(=|$)/i.test(preference));
  const [, seconds] = /=\s*(\d{1,9})$/.exec(first ?? '') ?? [];
  return Math.min(Number(seconds ?? 0), maxWaitS);
}
