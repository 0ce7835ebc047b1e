import { auditLedger, type CheckedInvariant, maxBreachesPerInvariant } from '@holdfast/db/audit/audit';
import { readFlags } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';

/** 0: the ledger is consistent; 1: rows break an invariant, and are listed. */
export async function ledgerAudit(args: string[], { openDatabase, print, report }: Context): Promise<number> {
  const { json } = readFlags(args, { json: { type: 'boolean', default: false } });
  const checked: CheckedInvariant[] = [];
  await auditLedger(await openDatabase(), (one) => {
    checked.push(one);
    report(progressOf(one));
    if (!json) printBreaches(one, print);
  });
  print(json ? JSON.stringify(documentOf(checked)) : summaryOf(checked));
  return checked.some(isBroken) ? 1 : 0;
}

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
