import { reasonOf } from '@holdfast/kit/reason';
import type { Command, Context } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { UsageError } from '../usageError.ts';
import { auditCheck, sweepsCheck } from './checks/backlog.ts';
import { databaseCheck, migrationsCheck, partitionsCheck, rolesCheck } from './checks/database.ts';
import { adminCheck, publicUrlCheck } from './checks/gateway.ts';
import { modelsCheck, providersCheck } from './checks/models.ts';
import { redisCheck } from './checks/redis.ts';
import { servicesCheck } from './checks/services.ts';
import { storeCheck } from './checks/store.ts';
import type { Check, Finding, State } from './finding.ts';

/** Each alone; those of the second group ask the database, and are not asked when it is away. */
const alone = [redisCheck, storeCheck, publicUrlCheck, adminCheck, servicesCheck];
const withDatabase = [
  migrationsCheck,
  rolesCheck,
  partitionsCheck,
  modelsCheck,
  providersCheck,
  sweepsCheck,
  auditCheck,
];

/** 0: nothing is wrong; 1: something is. */
export const doctor: Command = {
  name: 'doctor',
  about: `look at everything the system needs and say what is wrong and how to mend it: database (migrations, rights,
months, clock), Redis, store, public URL and its certificate, admin API, providers and their keys, models, services,
what is late. It writes one object to the store, and removes it.`,
  usage: 'holdfast doctor [--json]',
  examples: 'holdfast doctor\ndocker compose run --rm holdfast doctor',
  async run(args, context) {
    const { values } = readOperands('doctor', args, [], { json: { type: 'boolean' } });
    const findings = await examine(context);
    const isWell = findings.every(({ state }) => state !== 'fail');
    if (values.json) {
      sayJson(context, { ok: isWell, findings: findings.map((one) => ({ mend: null, ...one })) });
      return isWell ? 0 : 1;
    }
    for (const finding of findings) sayFinding(context, finding);
    context.say('');
    context.say(summaryOf(findings));
    return isWell ? 0 : 1;
  },
};

async function examine(context: Context): Promise<Finding[]> {
  const [database, ...others] = await Promise.all([databaseCheck, ...alone].map((one) => look(one, context)));
  const isThere = database?.every(({ state }) => state !== 'fail');
  const inside: Finding[][] = [];
  for (const one of withDatabase) {
    // One by one, over one connection.
    if (isThere) inside.push(await look(one, context));
    else
      inside.push([{ state: 'skipped', check: one.check, found: 'the database is not there to be asked' }]);
  }
  return [...(database ?? []), ...inside.flat(), ...others.flat()];
}

async function look({ check, mend, look: find }: Check, context: Context): Promise<Finding[]> {
  try {
    return await find(context);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return [{ state: 'fail', check, found: reasonOf(error), mend }];
  }
}

const words: Record<State, string> = { ok: 'ok     ', warn: 'warn   ', fail: 'FAIL   ', skipped: 'skipped' };

/** How to mend it is never cut: it is what the reader has come for. */
function sayFinding(context: Context, { state, check, found, mend }: Finding): void {
  sayLine(context, `${words[state]}  ${check}: ${found}`);
  if (mend !== undefined) context.say(`${' '.repeat(9)}→ ${mend}`);
}

function summaryOf(findings: Finding[]): string {
  const count = (state: State) => findings.filter((one) => one.state === state).length;
  const parts = [`${count('ok')} are well`, `${count('warn')} to be noticed`, `${count('fail')} wrong`];
  return `${parts.join(', ')}, ${count('skipped')} not looked at.`;
}
