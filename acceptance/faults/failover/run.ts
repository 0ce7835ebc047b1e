import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import type { EventBody } from '../../stack/executions.ts';
import { type Fleet, startFleet } from '../../stack/fleet.ts';
import { untilIdle } from '../rolling/outcome.ts';
import type { Fault } from './faults.ts';
import type { Flags } from './flags.ts';
import { type Load, startLoad } from './load.ts';
import { breachesIn, countRepeated, missingIn, problemsAtRest } from './outcome.ts';
import { startPostgresTarget } from './postgres.ts';
import { startRedisTarget } from './redis.ts';
import { startStoreTarget } from './store.ts';
import type { Target } from './target.ts';

export type Round = {
  fault: Fault;
  /** The longest time without an accepted execution. */
  gapS: number;
  /** From the fault until the `completed` webhook of an execution arrived whose client asked for it after the fault. */
  webhookS: number;
  accepted: number;
  /** From the end of the fault until the server and its replicas are healthy. */
  healS: number;
  lost: number;
};

export type Result = {
  rounds: Round[];
  executions: number;
  /** Accepted per second, over all rounds. */
  perSecond: number;
  events: number;
  responses: ReadonlyMap<number, number>;
  lost: string[];
  /** Executions with a second attempt. */
  repeated: number;
  notes: string[];
  problems: string[];
};

/** Load before a fault, and before it ends. */
const calmMs = 3000;
const recoversWithinMs = 120_000;
/** A container reports the end of a run once: without its callback, the run is repeated after two minutes. */
const idleWithinMs = 300_000;

function startTarget(flags: Flags, folder: string, say: (line: string) => void): Promise<Target> {
  const { only } = flags;
  if (only === 'sentinel' || only === 'cluster') return startRedisTarget(only, folder);
  if (only === 'store') return startStoreTarget(folder, say);
  return startPostgresTarget(flags, folder, say);
}

export async function run(flags: Flags, folder: string, say: (line: string) => void): Promise<Result> {
  const target = await startTarget(flags, folder, say);
  const closing: (() => Promise<unknown>)[] = [() => target.close()];
  try {
    say('starting the services');
    const home = join(folder, 'holdfast');
    const fleet = await startFleet(home, { LOG_LEVEL: 'info', ...target.settings });
    closing.unshift(() => fleet.close());
    return await runRounds({ flags, fleet, target, logs: () => globSync(join(home, 'logs/*.log')), say });
  } finally {
    for (const close of closing) await close();
  }
}

type Running = {
  flags: Flags;
  fleet: Fleet;
  target: Target;
  logs: () => string[];
  say: (line: string) => void;
};

async function runRounds({ flags, fleet, target, logs, say }: Running): Promise<Result> {
  const { db } = fleet;
  const customer = await fleet.newCustomer('1000000');
  const receiver = await startReceiver();
  const events = new Set<string>();
  /** When the webhook of each completed execution arrived. */
  const completedAtMs = new Map<string, number>();
  receiver.respond = ({ body, atMs }, response) => {
    const { id, type, execution_id } = JSON.parse(body) as EventBody;
    events.add(id);
    if (type === 'execution.completed') completedAtMs.set(execution_id, atMs);
    receiver.received.length = 0;
    response.writeHead(200).end();
  };
  await customer.api.post('/v1/webhooks/endpoints', { url: receiver.url });
  const load = startLoad(customer.api, flags.perSecond, target.work);
  const loadMs = performance.now();
  let perSecond = 0;
  const rounds: Round[] = [];
  const lost = new Set<string>();
  const problems: string[] = [];
  const findLost = async () => {
    const missing = (await missingIn(db, [...load.accepted.keys()])).filter((id) => !lost.has(id));
    for (const id of missing) lost.add(id);
    return missing.length;
  };
  const kinds = target.faults.filter((fault) => !flags.only || fault === flags.only);
  const cycle = kinds.length > 0 ? kinds : target.faults;
  try {
    for (let nth = 1; nth <= flags.rounds; nth += 1) {
      const fault = cycle[(nth - 1) % cycle.length] ?? 'killed';
      const check = async () => {
        problems.push(...(await breachesIn(db)).map((breach) => `round ${nth}: ${breach}`));
        return await findLost();
      };
      const round = await runRound({ fault, target, load, completedAtMs, check });
      rounds.push(round);
      say(`${nth}. ${lineOf(round)}`);
    }
    perSecond = (load.accepted.size * 1000) / (performance.now() - loadMs);
  } finally {
    await load.stop();
  }
  say('waiting until all work is done');
  await untilIdle(db, customer.organizationId, idleWithinMs).catch((error: Error) =>
    problems.push(error.message),
  );
  await receiver.close();
  await findLost();
  const atRest = { db, api: customer.api, load, lost: [...lost], logs: logs() };
  return {
    rounds,
    executions: load.accepted.size,
    perSecond,
    events: events.size,
    responses: load.responses,
    lost: [...lost],
    repeated: await countRepeated(db),
    notes: target.notes(),
    problems: [
      ...problems,
      ...load.problems,
      ...(await problemsAtRest(db, customer.organizationId, {
        accepted: load.accepted,
        events,
        // What was lost may have been a provider's acceptance or its callback.
        mayFail: !target.isSafe,
      })),
      ...(await breachesIn(db)),
      ...(target.isSafe ? [...lost].map((id) => `${id} was accepted and is lost`) : []),
      ...(await target.problems(atRest)),
    ],
  };
}

type RoundOf = {
  fault: Fault;
  target: Target;
  load: Load;
  completedAtMs: ReadonlyMap<string, number>;
  check: () => Promise<number>;
};

/**
 * `check` runs on the new primary before the old one returns, for that serves old rows until Patroni demotes it; resolves with
 * the number of lost executions.
 */
async function runRound({ fault, target, load, completedAtMs, check }: RoundOf): Promise<Round> {
  const provoke = await target.prepare();
  await delay(calmMs);
  const startMs = performance.now();
  const { heal } = await provoke(fault);
  const promotedMs = performance.now();
  await until('executions are accepted again', () => load.acceptedSince(promotedMs) > 0, recoversWithinMs);
  const firstMs = await until(
    'a new execution has its webhook',
    () => firstCompleted(load, completedAtMs, startMs),
    recoversWithinMs,
  );
  const [lost] = await Promise.all([check(), delay(calmMs)]);
  const healMs = performance.now();
  await heal();
  const healS = (performance.now() - healMs) / 1000;
  const [gapS, accepted] = [load.longestGapS(startMs), load.acceptedSince(startMs - calmMs)];
  return { fault, gapS, webhookS: (firstMs - startMs) / 1000, accepted, healS, lost };
}

/** When the first webhook arrived of the executions that clients asked for since `fromMs`. */
function firstCompleted(
  load: Load,
  completedAtMs: ReadonlyMap<string, number>,
  fromMs: number,
): number | null {
  const arrivedMs = [...load.accepted]
    .filter(([, { requestedMs }]) => requestedMs > fromMs)
    .flatMap(([id]) => completedAtMs.get(id) ?? []);
  return arrivedMs.length > 0 ? Math.min(...arrivedMs) : null;
}

const lineOf = ({ fault, gapS, webhookS, accepted, lost, healS }: Round) =>
  `${fault}: ${gapS.toFixed(1)} s without accepts, ${webhookS.toFixed(1)} s until a new webhook, ${accepted} accepted, ${lost} lost; healthy after ${healS.toFixed(1)} s`;
