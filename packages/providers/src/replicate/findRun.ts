import { isDeepStrictEqual } from 'node:util';
import type { TrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Connection } from '../connection.ts';
import type { Submission } from '../interface.ts';
import { type HostedPrediction, readPrediction, type Target, targetOf } from './prediction.ts';

const page = z.object({ next: z.string().nullish(), results: z.array(z.unknown()) });

/** A page has a hundred runs; an account with more pages is not searched further. */
const maxPages = 20;
/** Runs whose webhook the list omits are fetched one by one. */
const maxReads = 50;
/** Between our clock and Replicate's. */
const skewMs = 60_000;

/** `not listed`: the list could not be fetched. `unknown`: it is too long, or has runs that may be ours. */
type Found = HostedPrediction | 'absent' | 'not listed' | 'unknown';

/** By then the list shows an accepted run; a run that two searches miss was not accepted. */
const listedAfterMs = 10_000;
const betweenLooksMs = 2000;
const maxLooks = 4;

export type Clock = { now(): number; wait(ms: number, signal: AbortSignal): Promise<unknown> };

/** Searches for a run whose submit got no response, until it is listed or was missed twice. */
export async function findLost(
  http: TrustedHttp,
  { baseUrl }: Pick<Connection, 'baseUrl'>,
  clock: Clock,
  submission: Submission,
  signal: AbortSignal,
): Promise<Found> {
  if (submission.callbackUrl === null) return 'unknown';
  let absences = 0;
  for (let looks = 1; looks <= maxLooks; looks += 1) {
    const found = await findRun(http, baseUrl, submission, signal);
    if (found === 'absent') absences += 1;
    if (absences === 2 || (found !== 'absent' && found !== 'not listed')) return found;
    const isListedInMs = submission.startedAtMs + listedAfterMs - clock.now();
    const waitMs = Math.min(Math.max(isListedInMs, betweenLooksMs), listedAfterMs);
    const isWaited = looks < maxLooks && (await hasPassed(clock.wait(waitMs, signal)));
    if (!isWaited) return 'unknown';
  }
  return 'unknown';
}

function hasPassed(waiting: Promise<unknown>): Promise<boolean> {
  return waiting.then(
    () => true,
    () => false,
  );
}

/** The account's run whose webhook URL ends in the attempt's token. */
async function findRun(
  http: TrustedHttp,
  baseUrl: string,
  submission: Submission,
  signal: AbortSignal,
): Promise<Found> {
  const get = async (path: string) => {
    const result = await http.request('GET', path, { timeoutMs: 15_000, signal });
    return result.ok && result.status === 200 ? result.json : undefined;
  };
  const since = new Date(submission.startedAtMs - skewMs).toISOString();
  let path: string | null = `/predictions?created_after=${encodeURIComponent(since)}`;
  const silent: HostedPrediction[] = [];
  for (let pages = 0; path !== null; pages += 1) {
    if (pages === maxPages) return 'unknown';
    const read: Page | null = readPage(await get(path));
    if (read === null) return 'not listed';
    const own = read.predictions.find((one) => isCalledBackAt(one, submission.token));
    if (own) return own;
    silent.push(...read.predictions.filter((one) => mayBe(one, submission)));
    const next: string | null | undefined = read.next === null ? null : pathBelow(baseUrl, read.next);
    if (next === undefined) return 'unknown';
    path = next;
  }
  return findAmong(silent, submission, get);
}

async function findAmong(
  silent: HostedPrediction[],
  submission: Submission,
  get: (path: string) => Promise<unknown>,
): Promise<Found> {
  if (silent.length > maxReads) return 'unknown';
  let found: Found = 'absent';
  for (const { id } of silent) {
    const read = readPrediction(await get(`/predictions/${encodeURIComponent(id)}`));
    if (read && isCalledBackAt(read, submission.token)) return read;
    if (read === null || (mayBe(read, submission) && hasInput(read, submission.input))) found = 'unknown';
  }
  return found;
}

type Page = { next: string | null; predictions: HostedPrediction[] };

function readPage(json: unknown): Page | null {
  const read = page.safeParse(json).data;
  if (read === undefined) return null;
  const predictions = read.results.map(readPrediction);
  return predictions.every((one) => one !== null) ? { next: read.next ?? null, predictions } : null;
}

export function isCalledBackAt({ webhook }: HostedPrediction, token: string): boolean {
  return typeof webhook === 'string' && webhook.endsWith(`/${token}`);
}

/** A run of the same model whose webhook is omitted. */
function mayBe({ webhook, model, version }: HostedPrediction, submission: Submission): boolean {
  if (webhook !== undefined) return false;
  const target: Target = targetOf(submission);
  // The list names the model that a deployment runs.
  if (submission.options.deployment === true) return true;
  return target.model !== null && model ? model === target.model : version === target.version;
}

/** Files may have got other URLs. */
function hasInput({ input }: HostedPrediction, ours: Submission['input']): boolean {
  if (input === null || typeof input !== 'object') return true;
  const theirs = new Map(Object.entries(input));
  return Object.entries(ours).every(
    ([name, value]) => mayHoldFile(value) || theirs.size === 0 || isDeepStrictEqual(theirs.get(name), value),
  );
}

function mayHoldFile(value: unknown): boolean {
  return typeof value === 'string'
    ? /^(https?:|data:)/i.test(value)
    : value !== null && typeof value === 'object';
}

function pathBelow(baseUrl: string, link: string): string | undefined {
  const base = new URL(baseUrl);
  const at = base.pathname.replace(/\/+$/, '');
  const url = URL.canParse(link, baseUrl) ? new URL(link, baseUrl) : null;
  const isOwn = url?.origin === base.origin && url.pathname.startsWith(`${at}/`);
  return isOwn ? url.pathname.slice(at.length) + url.search : undefined;
}
