import { styleText } from 'node:util';
import { UsageError } from '@holdfast/kit/flags';
import { reasonOf } from '@holdfast/kit/within';
import type { Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { printJson } from '../output/print.ts';
import { auditCheck, sweepsCheck } from './checks/backlog.ts';
import { databaseCheck, migrationsCheck, partitionsCheck, rolesCheck } from './checks/database.ts';
import { diskCheck } from './checks/disk.ts';
import { adminCheck, publicUrlCheck } from './checks/gateway.ts';
import { modelsCheck, providersCheck } from './checks/models.ts';
import { redisCheck } from './checks/redis.ts';
import { servicesCheck } from './checks/services.ts';
import { storeCheck } from './checks/store.ts';
import { type Check, type Finding, type State } from './findings.ts';

/** The checks of the second group need the database, and are skipped without it. */
const independent = [redisCheck, storeCheck, diskCheck, publicUrlCheck, adminCheck, servicesCheck];
const withDatabase = [
  migrationsCheck,
  rolesCheck,
  partitionsCheck,
  modelsCheck,
  providersCheck,
  sweepsCheck,
  auditCheck,
];

/** 0: no errors; 1: some. */
export async function doctor(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('doctor', args, [], { json: { type: 'boolean' } });
  const findings = await examine(context);
  const isOk = findings.every(({ state }) => state !== 'error');
  if (values.json) {
    const all = findings.map((one) => ({ fix: null, ...one, runbook: runbookPath(one) }));
    printJson(context, { ok: isOk, findings: all });
    return isOk ? 0 : 1;
  }
  for (const finding of findings) printFinding(context, finding);
  context.print('');
  context.print(summaryOf(findings));
  return isOk ? 0 : 1;
}

async function examine(context: Context): Promise<Finding[]> {
  const [database, ...others] = await Promise.all(
    [databaseCheck, ...independent].map((one) => runCheck(one, context)),
  );
  const isAvailable = database?.every(({ state }) => state !== 'error');
  const inside: Finding[][] = [];
  for (const one of withDatabase) {
    // In sequence, on one connection.
    if (isAvailable) inside.push(await runCheck(one, context));
    else inside.push([{ state: 'skipped', check: one.check, found: 'the database is unavailable' }]);
  }
  return [...(database ?? []), ...inside.flat(), ...others.flat()];
}

async function runCheck({ check, fix, runbook, run }: Check, context: Context): Promise<Finding[]> {
  try {
    return (await run(context)).map((finding) => ({ runbook, ...finding }));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return [{ state: 'error', check, found: reasonOf(error), fix, runbook }];
  }
}

/** Null where nothing is wrong. */
function runbookPath({ state, runbook }: Finding): string | null {
  if (runbook === undefined || state === 'ok' || state === 'skipped') return null;
  const [page, section] = runbook.split('#');
  return `docs/operate/alerts/${page}.md${section === undefined ? '' : `#${section}`}`;
}

const colours = { ok: 'green', warning: 'yellow', error: 'red', skipped: 'dim' } as const;
const stateWidth = Math.max(...Object.keys(colours).map((state) => state.length));
const indent = ' '.repeat(stateWidth + 2);

/** Never cut: the end of a line is often the reason. Node decides on colours, by the terminal, NO_COLOR, FORCE_COLOR and CI. */
function printFinding({ print }: Context, finding: Finding): void {
  const { state, check, found, fix } = finding;
  print(`${styleText(colours[state], state)}${' '.repeat(indent.length - state.length)}${check}: ${found}`);
  if (fix !== undefined) print(`${indent}fix: ${fix}`);
  const runbook = runbookPath(finding);
  if (runbook !== null) print(`${indent}runbook: ${runbook}`);
}

function summaryOf(findings: Finding[]): string {
  const count = (state: State) => findings.filter((one) => one.state === state).length;
  const counted = (state: 'warning' | 'error') => `${count(state)} ${state}${count(state) === 1 ? '' : 's'}`;
  return `${count('ok')} ok, ${counted('warning')}, ${counted('error')}, ${count('skipped')} skipped.`;
}
