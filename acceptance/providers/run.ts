import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from '@holdfast/kit/within';
import { servicePort } from '@holdfast/local/launch/ports';
import type { Flags } from './flags.ts';
import { type Holdfast, startHoldfast } from './holdfast.ts';
import { pythonEnvironment, Skipped } from './pythonEnvironment.ts';
import { type PythonServer, pythonServer } from './pythonServer.ts';
import type { Case, Suite } from './suite.ts';

export type Counts = { passed: number; failed: number; skipped: number };
type Named = { name: string; suite: Suite };
type Ready = Named & { server: PythonServer; cases: Case[] };
type Say = (line: string) => void;

const caseWithinMs = 240_000;

/** Runs the suites one after the other against one system, and counts their cases. */
export async function runSuites(
  chosen: Named[],
  { grep, keep }: Pick<Flags, 'grep' | 'keep'>,
  say: Say,
  signal: AbortSignal,
): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const home = mkdtempSync(join(tmpdir(), 'holdfast-providers-'));
  // Postgres is another user when we are root.
  chmodSync(home, 0o755);
  try {
    const wanted = chosen.map(({ name, suite }) => ({
      name,
      suite,
      cases: suite.cases.filter(({ title }) => title.includes(grep ?? '')),
    }));
    const environments = await installAll(
      wanted.filter(({ cases }) => cases.length > 0),
      say,
      signal,
    );
    const ready: Ready[] = [];
    for (const { name, suite, cases } of wanted) {
      const environment = environments.get(name);
      counts.skipped += suite.cases.length - (environment === undefined ? 0 : cases.length);
      if (environment === undefined) continue;
      // One after the other: a port is free until its server starts.
      const at = { suite, environment, logs: join(home, 'logs'), port: await servicePort() };
      ready.push({ name, suite, cases, server: pythonServer(name, at) });
    }
    if (ready.length > 0) await runAgainst(ready, home, counts, say, signal);
  } finally {
    if (keep) say(`the logs are in ${home}/logs`);
    else rmSync(home, { recursive: true, force: true });
  }
  return counts;
}

const progressEveryMs = 15_000;

/** Installs the servers side by side, and says which are done. Servers that can't be installed here are left out. */
async function installAll(wanted: Named[], say: Say, signal: AbortSignal): Promise<Map<string, string>> {
  const installed = new Map<string, string>();
  const pending = new Set(wanted.map(({ name }) => name));
  const startMs = performance.now();
  const seconds = () => `${Math.round((performance.now() - startMs) / 1000)} s`;
  const timer = setInterval(
    () => say(`still installing ${[...pending].join(', ')} (${seconds()})`),
    progressEveryMs,
  );
  const install = async ({ name, suite }: Named) => {
    try {
      installed.set(name, await pythonEnvironment(name, suite.requirements, say, signal));
      pending.delete(name);
      say(`${name}: installed after ${seconds()}, ${wanted.length - pending.size} of ${wanted.length}`);
    } catch (error) {
      pending.delete(name);
      if (!(error instanceof Skipped)) throw error;
      say(`${name} is skipped: ${error.message}`);
    }
  };
  // All have ended before a failure is thrown, so that no pip outlives this process.
  const results = await Promise.allSettled(wanted.map(install));
  clearInterval(timer);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return installed;
}

async function runAgainst(
  ready: Ready[],
  home: string,
  counts: Counts,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const connections = Object.assign({}, ...ready.map(({ suite, server }) => suite.connections(server.url)));
  const holdfast = await startHoldfast({ home, connections }, say, signal);
  try {
    for (const one of ready) await runSuite(one, holdfast, counts, say, signal);
  } finally {
    await holdfast.close();
  }
}

async function runSuite(
  { name, server, cases }: Ready,
  holdfast: Holdfast,
  counts: Counts,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  try {
    await server.start();
    for (const { title, run } of cases) {
      signal.throwIfAborted();
      const isPassed = await passes(`${name}: ${title}`, () => run({ holdfast, server }), say);
      counts[isPassed ? 'passed' : 'failed'] += 1;
    }
  } finally {
    await server.kill();
  }
}

async function passes(title: string, run: () => Promise<void>, say: Say): Promise<boolean> {
  try {
    await within(caseWithinMs, title, run());
    say(`ok      ${title}`);
    return true;
  } catch (error) {
    say(`FAILED  ${title}`);
    say(`        ${error instanceof Error ? error.message.replaceAll('\n', '\n          ') : String(error)}`);
    return false;
  }
}
