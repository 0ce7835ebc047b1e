import { readFlags, UsageError } from '@holdfast/kit/flags';

export type ListenFlags = {
  /** What the endpoint asks for. */
  events: string[];
  verbose: boolean;
  /** The status that every delivery is answered with instead of 200. */
  failWith: number | null;
  /** How long every answer takes. */
  slowMs: number;
  /** Where deliveries are passed on to. */
  forwardTo: URL | null;
  help: boolean;
};

export const usage = `Usage: npm run webhooks:listen [-- flags]

Prints the webhooks of the Holdfast that npm start runs here, as they come, each with its signature checked.
It registers an endpoint of the demo organization, and removes it at Ctrl-C.

  --events LIST   what to ask for, with commas between (default execution.*,endpoint.*)
  --verbose       the body of each, too
  --forward URL   pass each on to your own server on this machine, and answer what it answers
  --fail STATUS   answer each with this status, to see retries; ten in a row deactivate the endpoint
  --slow SECONDS  answer each so much later
  --help          this text

A line is: time, verified or not, type, execution, model, status, cost, the answer, how long after the event.`;

/** Reads the flags of `npm run webhooks:listen`. @throws UsageError */
export function parseListenFlags(args: string[]): ListenFlags {
  const { events, verbose, fail, slow, forward, help } = readFlags(
    args,
    options,
    'npm run webhooks:listen -- --help',
  );
  if (fail !== undefined && forward !== undefined)
    throw new UsageError('--fail answers itself: it goes not with --forward.');
  return {
    events: (events ?? 'execution.*,endpoint.*').split(',').map((type) => type.trim()),
    verbose: verbose ?? false,
    failWith: fail === undefined ? null : failingStatus(fail),
    slowMs: slow === undefined ? 0 : secondsOf(slow) * 1000,
    forwardTo: forward === undefined ? null : loopbackUrl(forward),
    help: help ?? false,
  };
}

const options = {
  events: { type: 'string' },
  verbose: { type: 'boolean', short: 'v' },
  fail: { type: 'string' },
  slow: { type: 'string' },
  forward: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function failingStatus(text: string): number {
  if (/^[345]\d\d$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is no status that fails: --fail takes one from 300 to 599.`);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 600) return seconds;
  throw new UsageError(`"${text}" is no time: --slow takes seconds, up to 600.`);
}

/** What is passed on holds what an execution has made: it stays on this machine. */
function loopbackUrl(text: string): URL {
  const url = URL.parse(text);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  if (url && /^https?:$/.test(url.protocol) && isLoopback) return url;
  throw new UsageError(
    `"${text}" is no URL of this machine: --forward takes one like http://localhost:3000/hooks.`,
  );
}
