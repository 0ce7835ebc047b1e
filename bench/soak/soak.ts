import { setTimeout as delay } from 'node:timers/promises';
import { recordAudit } from '@holdfast/db/audit/audit';
import { type Database, openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { Running } from '@holdfast/local/launch/running';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { connectProducer } from '@holdfast/queues/connection';
import { createOrganizations } from '../organizations.ts';
import { postgresSettings } from '../postgres.ts';
import { describeMachine } from '../report.ts';
import { round } from '../statistics.ts';
import { untilAtRest } from './backlog.ts';
import { checkAll } from './check.ts';
import { type Fault, planFaults } from './faultPlan.ts';
import { injectFaults } from './faults.ts';
import type { Flags } from './flags.ts';
import { type Growth, growths, handlesKept } from './growth.ts';
import { openLoad, type SoakLoad, topRate } from './load.ts';
import { type SoakReceiver, startSoakReceiver } from './receiver.ts';
import { minuteLine } from './report.ts';
import { type Sample, type Sampled, takeSample } from './sample.ts';

const organizations = 4;
/** Endpoints that were down and orphaned executions need some minutes. */
const restWithinMs = 600_000;
/** The gateway closes idle connections after 75 s. */
const closedAfterMs = 100_000;
/** Left out of the slopes: a share of the run, up to `maxS`. */
const warmUp = { share: 0.15, maxS: 300 };
const maxProblems = 100;

export type SoakResult = Awaited<ReturnType<typeof soak>>;

export async function soak(args: {
  flags: Flags;
  state: LocalState;
  running: Running;
  say(line: string): void;
}) {
  const { state, running } = args;
  const [steady, flaky] = [await startSoakReceiver(), await startSoakReceiver()];
  const db = openDatabase({ url: state.database_url, poolSize: 2, applicationName: 'soak' });
  const redis = connectProducer(state.redis_url, createLogger('soak', 'silent'));
  try {
    const created = await createOrganizations(state, organizations, (nth) =>
      nth === 0 ? [steady.url, flaky.url] : [steady.url],
    );
    // Counts as the ledger's first audit, which would run during the load.
    await recordAudit(db, []);
    const keys = created.map(({ apiKey }) => apiKey);
    const load = openLoad(state.base_url, keys, args.flags.clients);
    const dataFolder = running.home?.data ?? '';
    return await soakWith({ ...args, db, redis, dataFolder, load, steady, flaky });
  } finally {
    redis.disconnect();
    await Promise.all([steady.close(), flaky.close()]);
    await db.close();
  }
}

async function soakWith(world: World) {
  const { flags, db, load, steady, flaky, say } = world;
  const before = await takeSample(world);
  const rates = await ratesOf(world);
  say(`${rates.perS} executions a second for ${flags.minutes} minutes; --seed ${flags.seed}`);
  const loaded = await underLoad(world, rates.perS, planFaults(flags.seed, flags.minutes * 60));
  const left = await untilAtRest(db, restWithinMs);
  say(
    left === null
      ? 'the backlog is empty; waiting for idle connections to be closed'
      : 'the backlog does not drain',
  );
  await delay(closedAfterMs);
  const rest = await takeSample(world);
  say('checking executions, events and the ledger');
  const checked = await checkAll(db, load.accepted, [
    { name: 'steady', organizationId: null, events: steady.events },
    { name: 'flaky', organizationId: await ownerOf(db, flaky.url), events: flaky.events },
  ]);
  const problems = [
    ...(left === null ? [] : [`the backlog did not drain: ${JSON.stringify(left)}`]),
    ...load.problems,
    ...checked.problems,
  ];
  return {
    ...outline(world, rates, loaded, handlesKept(before, rest, load.accepted.size())),
    executions: checked.executions,
    events: checked.events,
    events_repeated: steady.events.repeats() + flaky.events.repeats(),
    problems: problems.slice(0, maxProblems),
    problem_count: problems.length,
    samples: loaded.samples,
    at_rest: rest,
    machine: describeMachine(),
    postgres: await postgresSettings(db),
    at: new Date().toISOString(),
  };
}

function outline({ flags, load }: World, rates: Rates, { samples, faults }: LoadResult, atRest: Growth[]) {
  const { sent, retried, dropped, unavailable } = load.counts;
  const { minutes, seed } = flags;
  return {
    top_rate_per_s: rates.topPerS,
    rate_per_s: rates.perS,
    minutes,
    seed,
    accepted: load.accepted.size(),
    creates: { retried, dropped },
    other_requests: { sent, unavailable },
    faults,
    growth: [...growths(samples, Math.min(warmUp.maxS, minutes * 60 * warmUp.share)), ...atRest],
  };
}

type Rates = { topPerS: number | null; perS: number };

async function ratesOf({ flags, db, load, say }: World): Promise<Rates> {
  if (flags.ratePerS !== null) return { topPerS: null, perS: flags.ratePerS };
  say('calibrating');
  const topPerS = round(await topRate(load, db));
  say(`top rate of this mix: ${topPerS} executions a second`);
  return { topPerS, perS: Math.max(1, Math.round(topPerS / 2)) };
}

async function ownerOf({ pool }: Database, url: string): Promise<string> {
  const query = 'SELECT organization_id AS id FROM webhook_endpoints WHERE url = $1';
  const { rows } = await pool.query<{ id: string }>(query, [url]);
  if (!rows[0]) throw new Error(`no endpoint is at ${url}`);
  return rows[0].id;
}

type World = Sampled & {
  flags: Flags;
  state: LocalState;
  load: SoakLoad;
  steady: SoakReceiver;
  flaky: SoakReceiver;
  say(line: string): void;
};

/** `faults`: what took effect. */
type LoadResult = { samples: Sample[]; faults: Fault[] };

/** Load, planned faults, and a sample every minute; resolves when every request has its response. */
async function underLoad(world: World, ratePerS: number, plan: readonly Fault[]): Promise<LoadResult> {
  const { load, say } = world;
  const ended = new AbortController();
  const loading = load.steady(ratePerS, ended.signal);
  const faulting = injectFaults(world, plan, ended.signal);
  const samples = await sampleMinutes(world);
  ended.abort();
  const [faults] = await Promise.all([faulting, loading]);
  say('the load has ended; waiting for the backlog');
  await load.idle();
  return { samples, faults };
}

async function sampleMinutes(world: World): Promise<Sample[]> {
  const startMs = performance.now();
  const samples: Sample[] = [];
  for (let minute = 0; minute <= world.flags.minutes; minute++) {
    await delay(Math.max(0, startMs + minute * 60_000 - performance.now()));
    const atS = Math.round((performance.now() - startMs) / 1000);
    const sample = { atS, executions: world.load.accepted.size(), values: await takeSample(world) };
    samples.push(sample);
    world.say(minuteLine(sample));
  }
  return samples;
}
