import { locale } from '../strings/locale.ts';
import { add, subtract } from '../ui/amounts.ts';
import type { read as readsOf, Schemas } from './api.ts';

type Reads = typeof readsOf;

type Transaction = Schemas['Transaction'];

export type MonthlyStatement = {
  /** The whole balance, available and held, before and after the month. */
  opening: string;
  closing: string;
  /** Top-ups and corrections, oldest first. */
  credits: Transaction[];
  models: Schemas['Usage']['data'];
  charged: string;
  /** What was charged without being in `models`: an execution that completed in another month than it was charged. */
  elsewhere: string;
  currency: string;
  isOver: boolean;
};

const shownMonths = 12;

/** `2026-03` and those before, newest first. */
export function monthsUntil(now: string): string[] {
  const [year = 0, month = 0] = now.split('-').map(Number);
  return Array.from({ length: shownMonths }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  );
}

const naming = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
export const monthName = (month: string) => naming.format(new Date(`${month}-01T00:00:00Z`));

type Bounds = { from: string; to: string };

function boundsOf(month: string): Bounds {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const [from = '', to = ''] = [number - 1, number].map((one) =>
    new Date(Date.UTC(year, one, 1)).toISOString(),
  );
  return { from, to };
}

export async function readStatement(read: Reads, month: string): Promise<MonthlyStatement> {
  const { from, to } = boundsOf(month);
  const isOver = to <= new Date().toISOString();
  const [before, last] = await Promise.all([lastBefore(read, from), lastBefore(read, to)]);
  const [balance, added, corrected, usage] = await Promise.all([
    read<Schemas['Balance']>('/balance'),
    readAll(read, 'top_up', { from, to }),
    readAll(read, 'correction', { from, to }),
    read<Schemas['Usage']>('/usage', { group_by: 'model', from, to: isOver ? to : undefined }),
  ]);
  const credits = [...added, ...corrected]
    .filter(({ sequence }) => sequence <= (last?.sequence ?? 0))
    .sort((a, b) => a.sequence - b.sequence);
  const opening = before?.balance_after ?? '0.00';
  const closing = last?.balance_after ?? '0.00';
  return {
    ...sumsOf({ opening, closing, credits, used: usage.total.cost }),
    models: usage.data,
    currency: balance.currency,
    isOver,
  };
}

type Read = Pick<MonthlyStatement, 'opening' | 'closing' | 'credits'> & { used: string };

/** Charges are what the journal says, to the last digit. */
export function sumsOf({ used, ...of }: Read) {
  const expected = of.credits.reduce((sum, { available_change: change }) => add(sum, change), of.opening);
  const charged = subtract(expected, of.closing);
  return { ...of, charged, elsewhere: subtract(charged, used) };
}

async function lastBefore(read: Reads, time: string): Promise<Transaction | undefined> {
  const page = await read<Schemas['TransactionPage']>('/balance/transactions', {
    created_before: time,
    limit: 1,
  });
  return page.data[0];
}

async function readAll(read: Reads, kind: Transaction['kind'], { from, to }: Bounds): Promise<Transaction[]> {
  const found: Transaction[] = [];
  // The first moment counts, which "after" would leave out.
  const beforeFirst = new Date(Date.parse(from) - 1).toISOString();
  for (let cursor: string | undefined; ; ) {
    const query = { kind, created_after: beforeFirst, created_before: to, limit: 100, cursor };
    const page = await read<Schemas['TransactionPage']>('/balance/transactions', query);
    found.push(...page.data);
    if (!page.next_cursor) return found;
    cursor = page.next_cursor;
  }
}
