import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { serverAccount } from '@holdfast/local/process/account';
import { runCommand } from '@holdfast/testkit/command';
import { parse, stringify } from 'yaml';
import { startCluster } from './cluster.ts';
import { faults, provoke } from './faults.ts';
import { installPackages } from './packages.ts';
import { startProxies } from './proxies.ts';
import { type AtRest, type Target, texts } from './target.ts';

const root = resolve(import.meta.dirname, '../../..');

type Options = { isProxied: boolean; isSynchronous: boolean };

/** Installs the programs, and starts three machines with them. */
export async function startMachines(folder: string, isSynchronous: boolean, say: (line: string) => void) {
  const programs = await installPackages(say);
  const account = serverAccount();
  if (!account) throw new Error('there is no account for PostgreSQL');
  say('starting three machines');
  return { account, cluster: await startCluster({ folder, programs, account, isSynchronous }) };
}

/** A PostgreSQL cluster of three, with or without proxies before it. */
export async function startPostgresTarget(
  { isProxied, isSynchronous }: Options,
  folder: string,
  say: (line: string) => void,
): Promise<Target> {
  const { cluster, account } = await startMachines(folder, isSynchronous, say);
  const proxies = isProxied
    ? await startProxies(cluster, { folder, account }).catch(async (error: Error) => {
        await cluster.close();
        throw error;
      })
    : null;
  return {
    settings: {
      MODELS_DIR: patientModels(folder),
      DATABASE_URL: proxies?.url ?? cluster.url,
      ...(proxies ? { DATABASE_PREPARED: 'false', DATABASE_DIRECT_URL: cluster.url } : {}),
    },
    faults,
    work: texts,
    isSafe: isSynchronous,
    async prepare() {
      const primary = await cluster.untilHealthy();
      return (fault) => provoke(fault, cluster, primary);
    },
    problems: (atRest) => auditProblems(cluster.url, atRest),
    notes: () => [`${cluster.reinitialized()} standbys had to be copied anew`],
    async close() {
      await proxies?.close();
      await cluster.close();
    },
  };
}

/**
 * Two failovers, or a callback that failed, take longer than the 60 seconds of the sandbox's model; so nothing need expire.
 * Without a mode of the model, for `sync` allows no more; the inputs name both modes all the same.
 */
function patientModels(folder: string): string {
  const [models, file] = [join(folder, 'models'), `${texts.model}.yaml`];
  const model: ModelFile = parse(readFileSync(join(root, 'models', file), 'utf8'));
  const provider = model.provider && { ...model.provider, mode: undefined };
  mkdirSync(models);
  writeFileSync(join(models, file), stringify({ ...model, provider, timeout_s: 600 }));
  return models;
}

/** `holdfast ledger audit --after-failover` must name what clients know to be lost. */
async function auditProblems(databaseUrl: string, { logs, lost }: AtRest): Promise<string[]> {
  const command = ['packages/cli/src/main.mjs', 'ledger', 'audit', '--after-failover', '--json', ...logs];
  const { stdout, stderr } = await runCommand(process.execPath, command, {
    cwd: root,
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
