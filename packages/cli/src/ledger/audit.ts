import { auditLedger, type CheckedInvariant, maxBreachesPerInvariant } from '@holdfast/db/audit/audit';
import { readArguments, UsageError } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';
import { findLostExecutions, type LostExecution } from './lostExecutions.ts';

/** 0: the ledger is consistent; 1: rows break an invariant, or executions are lost, and are listed. */
export async function ledgerAudit(args: string[], { openDatabase, print, report }: Context): Promise<number> {
  const { values, positionals: logs } = readArguments(args, options);
  const { json, 'after-failover': isAfterFailover } = values;
  if (isAfterFailover && logs.length === 0)
    throw new UsageError('--after-failover needs the logs of the services: files, or - for standard input');
  if (!isAfterFailover && logs.length > 0)
    throw new UsageError(`Unexpected argument '${logs[0]}': logs are read with --after-failover`);
  const checked: CheckedInvariant[] = [];
  const db = await openDatabase();
  const lost = isAfterFailover ? await findLostExecutions(db, logs) : null;
  await auditLedger(db, (one) => {
    checked.push(one);
    report(progressOf(one));
    if (!json) printBreaches(one, print);
  });
  if (json)
    print(JSON.stringify({ ...documentOf(checked), ...(lost && { lost: lost.map(lostDocumentOf) }) }));
  else {
    print(summaryOf(checked));
    for (const one of lost ?? []) print(lostLineOf(one));
    if (lost) print(lostSummaryOf(lost));
  }
  return checked.some(isBroken) || lost?.length ? 1 : 0;
}

const options = {
  json: { type: 'boolean', default: false },
  'after-failover': { type: 'boolean', default: false },
} as const;

function lostLineOf({
  id,
  model,
  organizationId,
  providers,
  hasSucceeded,
  deliveredWebhooks,
}: LostExecution): string {
  const facts = [
    model && `model ${model}`,
    organizationId,
    providers.length > 0 && `ran at ${providers.join(', ')}${hasSucceeded ? ' and succeeded' : ''}`,
    deliveredWebhooks > 0 && `${deliveredWebhooks} webhooks delivered`,
  ].filter(Boolean);
  return [`lost: ${id}`, ...facts].join(', ');
}

function lostSummaryOf(lost: readonly LostExecution[]): string {
  if (lost.length === 0) return 'The database has every execution that the logs name.';
  const ran = lost.filter(({ providers }) => providers.length > 0).length;
  return `The database does not have ${lost.length} of the executions that the logs name; providers ran ${ran} of these.`;
}

const lostDocumentOf = (one: LostExecution) => ({
  id: one.id,
  organization_id: one.organizationId,
  model: one.model,
  providers: one.providers,
  has_succeeded: one.hasSucceeded,
  delivered_webhooks: one.deliveredWebhooks,
});

const isBroken = ({ breaches }: CheckedInvariant) => breaches.length > 0;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

const countOf = ({ breaches, areMore }: CheckedInvariant) =>
  `${areMore ? 'more than ' : ''}${breaches.length}`;

function progressOf(checked: CheckedInvariant): string {
  const result = isBroken(checked) ? `BROKEN: ${countOf(checked)}` : 'holds';
  return `${seconds(checked.tookMs)}  ${checked.invariant}: ${result}`;
}

function printBreaches(checked: CheckedInvariant, print: Context['print']): void {
  for (const { invariant, id, found } of checked.breaches) print(`${invariant}: ${id}: ${found}`);
  if (checked.areMore) print(`${checked.invariant}: more than the ${maxBreachesPerInvariant} named here`);
}

function summaryOf(all: CheckedInvariant[]): string {
  const broken = all.filter(isBroken);
  if (broken.length === 0) return `The ledger is consistent: ${all.length} invariants hold.`;
  const rows = broken.reduce((sum, { breaches }) => sum + breaches.length, 0);
  const orMore = broken.some(({ areMore }) => areMore) ? ' or more' : '';
  return `The ledger is not consistent: ${rows}${orMore} rows break ${broken.length} of ${all.length} invariants.`;
}

const documentOf = (all: CheckedInvariant[]) => ({
  ok: !all.some(isBroken),
  invariants: all.map(({ invariant, breaches, areMore, tookMs }) => ({
    invariant,
    broken_by: breaches.map(({ id, found }) => ({ id, found })),
    are_more: areMore,
    took_ms: Math.round(tookMs),
  })),
});
