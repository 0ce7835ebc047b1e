import { setTimeout as delay } from 'node:timers/promises';
import { recordAudit } from '@holdfast/db/audit/audit';
import { type Database, openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { Running } from '@holdfast/local/launch/running';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { connectProducer } from '@holdfast/queues/connection';
import { createOrganizations } from '../organization.ts';
import { postgresSettings } from '../postgresSettings.ts';
import { describeMachine } from '../report.ts';
import { round } from '../statistics.ts';
import { topRate } from './calibrate.ts';
import { checkAll } from './check.ts';
import type { Flags } from './flags.ts';
import type { Growth } from './growth.ts';
import { openLoad } from './load.ts';
import { planFaults } from './plan.ts';
import { startSoakReceiver } from './receiver.ts';
import { untilAtRest } from './rest.ts';
import { takeSample } from './sample.ts';
import { growths, handlesKept } from './series.ts';
import { type Laboured, underLoad, type World } from './underLoad.ts';

const organizations = 4;
/** Endpoints that were down and orphaned executions need some minutes. */
const restWithinMs = 600_000;
/** The gateway closes idle connections after 75 s. */
const closedAfterMs = 100_000;
/** Left out of the slopes: a share of the run, up to `mostS`. */
const warmUp = { share: 0.15, mostS: 300 };
const mostTroubles = 100;

export type Soaked = Awaited<ReturnType<typeof soak>>;

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
    const made = await createOrganizations(state, organizations, (nth) =>
      nth === 0 ? [steady.url, flaky.url] : [steady.url],
    );
    // Counts as the ledger's first audit, which would run during the load.
    await recordAudit(db, []);
    const keys = made.map(({ apiKey }) => apiKey);
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
  const laboured = await underLoad(world, rates.perS, planFaults(flags.seed, flags.minutes * 60));
  const left = await untilAtRest(db, restWithinMs);
  say(left === null ? 'at rest; waiting for idle connections to be closed' : 'it does not come to rest');
  await delay(closedAfterMs);
  const rest = await takeSample(world);
  say('looking at the books');
  const checked = await checkAll(db, load.accepted, [
    { name: 'steady', organizationId: null, events: steady.events },
    { name: 'flaky', organizationId: await ownerOf(db, flaky.url), events: flaky.events },
  ]);
  const troubles = [
    ...(left === null ? [] : [`it did not come to rest: ${JSON.stringify(left)}`]),
    ...load.troubles,
    ...checked.troubles,
  ];
  return {
    ...outline(world, rates, laboured, handlesKept(before, rest, load.accepted.size())),
    executions: checked.executions,
    events: checked.events,
    events_repeated: steady.events.repeats() + flaky.events.repeats(),
    troubles: troubles.slice(0, mostTroubles),
    trouble_count: troubles.length,
    samples: laboured.samples,
    at_rest: rest,
    machine: describeMachine(),
    postgres: await postgresSettings(db),
    at: new Date().toISOString(),
  };
}

function outline({ flags, load }: World, rates: Rates, { samples, faults }: Laboured, atRest: Growth[]) {
  const { asked, retried, heldBack, unavailable } = load.counts;
  const { minutes, seed } = flags;
  return {
    top_rate_per_s: rates.topPerS,
    rate_per_s: rates.perS,
    minutes,
    seed,
    accepted: load.accepted.size(),
    creates: { retried, held_back: heldBack },
    other_requests: { sent: asked, unavailable },
    faults,
    growth: [...growths(samples, Math.min(warmUp.mostS, minutes * 60 * warmUp.share)), ...atRest],
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
