import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverAccount } from '@holdfast/local/process/account';
import { runCommand } from '@holdfast/testkit/command';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { untilIdle } from '../rolling/outcome.ts';
import { type Fleet, startFleet } from '../stack/fleet.ts';
import { startCluster } from './cluster.ts';
import { type Fault, faults, provoke } from './faults.ts';
import type { Flags } from './flags.ts';
import { type Load, startLoad } from './load.ts';
import { breachesIn, countRepeated, missingIn, problemsAtRest } from './outcome.ts';
import { installPackages } from './packages.ts';
import { startProxies } from './proxies.ts';

export type Round = {
  fault: Fault;
  /** The longest time without an accepted execution. */
  gapS: number;
  accepted: number;
  lost: number;
};

export type Result = {
  rounds: Round[];
  executions: number;
  events: number;
  responses: ReadonlyMap<number, number>;
  lost: string[];
  /** Executions that providers ran more than once. */
  repeated: number;
  problems: string[];
};

/** Load before a fault, and after it is healed. */
const calmMs = 5000;
const acceptsWithinMs = 120_000;

export async function run(flags: Flags, folder: string, say: (line: string) => void): Promise<Result> {
  const programs = await installPackages(say);
  const account = serverAccount();
  if (!account) throw new Error('there is no account for PostgreSQL');
  say('starting three machines');
  const { isSynchronous } = flags;
  const cluster = await startCluster({ folder, programs, account, isSynchronous });
  const closing: (() => Promise<unknown>)[] = [() => cluster.close()];
  try {
    const proxies = flags.isProxied ? await startProxies(cluster, { folder, account }) : null;
    if (proxies) closing.unshift(() => proxies.close());
    say('starting the services');
    const fleet = await startFleet(join(folder, 'holdfast'), {
      LOG_LEVEL: 'info',
      DATABASE_URL: proxies?.url ?? cluster.url,
      ...(proxies ? { DATABASE_PREPARED: 'false', DATABASE_DIRECT_URL: cluster.url } : {}),
    });
    closing.unshift(() => fleet.close());
    const result = await runRounds({ flags, fleet, cluster, say });
    const logs = globSync(join(folder, 'holdfast/logs/*.log'));
    return {
      ...result,
      problems: [...result.problems, ...(await auditProblems(cluster.url, logs, result.lost))],
    };
  } finally {
    for (const close of closing) await close();
  }
}

/** `holdfast ledger audit --after-failover` must name what clients know to be lost. */
async function auditProblems(
  databaseUrl: string,
  logs: string[],
  lost: readonly string[],
): Promise<string[]> {
  const command = ['packages/cli/src/main.mjs', 'ledger', 'audit', '--after-failover', '--json', ...logs];
  const { stdout, stderr } = await runCommand(process.execPath, command, {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const document = JSON.parse(stdout || '{}') as { ok?: boolean; lost?: { id: string }[] };
  const found = new Set(document.lost?.map(({ id }) => id));
  return [
    ...(document.ok ? [] : [`the audit after the failover failed: ${stderr}`]),
    ...lost
      .filter((id) => !found.has(id))
      .map((id) => `${id} is lost, and the audit after the failover does not find it`),
  ];
}

type Running = {
  flags: Flags;
  fleet: Fleet;
  cluster: Awaited<ReturnType<typeof startCluster>>;
  say: (line: string) => void;
};

async function runRounds({ flags, fleet, cluster, say }: Running): Promise<Result> {
  const { db } = fleet;
  const customer = await fleet.newCustomer('1000000');
  const receiver = await startReceiver();
  const events = new Set<string>();
  receiver.respond = ({ body }, response) => {
    events.add((JSON.parse(body) as { id: string }).id);
    receiver.received.length = 0;
    response.writeHead(200).end();
  };
  await customer.api.post('/v1/webhooks/endpoints', { url: receiver.url });
  const load = startLoad(customer.api, flags.perSecond);
  const rounds: Round[] = [];
  const lost = new Set<string>();
  const problems: string[] = [];
  try {
    for (let nth = 0; nth < flags.rounds; nth += 1) {
      const fault = flags.only ?? faults[nth % faults.length] ?? 'killed';
      const round = await runRound({ fault, cluster, load });
      const missing = (await missingIn(db, [...load.accepted])).filter((id) => !lost.has(id));
      for (const id of missing) lost.add(id);
      rounds.push({ ...round, lost: missing.length });
      problems.push(...(await breachesIn(db)).map((breach) => `round ${nth + 1}: ${breach}`));
      say(
        `${nth + 1}. ${fault}: ${round.gapS.toFixed(1)} s without accepts, ${round.accepted} accepted, ${missing.length} lost`,
      );
    }
  } finally {
    await load.stop();
  }
  say('waiting until all work is done');
  await untilIdle(db, customer.organizationId).catch((error: Error) => problems.push(error.message));
  await receiver.close();
  return {
    rounds,
    executions: load.accepted.size,
    events: events.size,
    responses: load.responses,
    lost: [...lost],
    repeated: await countRepeated(db),
    problems: [
      ...problems,
      ...load.problems,
      ...(await problemsAtRest(db, customer.organizationId, {
        accepted: load.accepted,
        events,
        // What was lost may have been a provider's acceptance or its callback.
        mayFail: !flags.isSynchronous,
      })),
      ...(await breachesIn(db)),
      ...(flags.isSynchronous ? [...lost].map((id) => `${id} was accepted and is lost`) : []),
    ],
  };
}

async function runRound({ fault, cluster, load }: Pick<Running, 'cluster'> & { fault: Fault; load: Load }) {
  const primary = await cluster.untilHealthy();
  await delay(calmMs);
  const startMs = performance.now();
  const { heal } = await provoke(fault, cluster, primary);
  const promotedMs = performance.now();
  await until('executions are accepted again', () => load.acceptedSince(promotedMs) > 0, acceptsWithinMs);
  await delay(calmMs);
  await heal();
  await delay(calmMs);
  return { fault, gapS: load.longestGapS(startMs), accepted: load.acceptedSince(startMs - calmMs) };
}
