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
    const ready: Ready[] = [];
    for (const { name, suite } of chosen) {
      const cases = suite.cases.filter(({ title }) => title.includes(grep ?? ''));
      const server = cases.length > 0 ? await prepare({ name, suite }, home, say, signal) : null;
      if (server) ready.push({ name, suite, server, cases });
      else counts.skipped += suite.cases.length;
      if (server) counts.skipped += suite.cases.length - cases.length;
    }
    if (ready.length > 0) await runAgainst(ready, home, counts, say, signal);
  } finally {
    if (keep) say(`the logs are in ${home}/logs`);
    else rmSync(home, { recursive: true, force: true });
  }
  return counts;
}

/** The server of a suite, not started yet; null where it can't be tested here, which is said. */
async function prepare(
  { name, suite }: Named,
  home: string,
  say: Say,
  signal: AbortSignal,
): Promise<PythonServer | null> {
  try {
    const environment = await pythonEnvironment(name, suite.requirements, say, signal);
    return pythonServer(name, {
      suite,
      environment,
      logs: join(home, 'logs'),
      port: await servicePort(),
    });
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    say(`${name} is skipped: ${error.message}`);
    return null;
  }
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
