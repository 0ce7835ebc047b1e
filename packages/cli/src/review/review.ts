import { MoneyDecimal } from '@holdfast/domain/money';
import { UsageError } from '@holdfast/kit/flags';
import { adminPath, readList } from '../admin/api.ts';
import { type Review, review } from '../admin/records.ts';
import { newKey, readAmount } from '../balance/adjust.ts';
import type { Context } from '../command.ts';
import { readLimit, readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownAge, shownTime } from '../output/times.ts';

const listOptions = {
  org: { type: 'string' },
  all: { type: 'boolean' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export async function reviewList(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('review list', args, [], listOptions);
  const query = { organization_id: values.org, state: values.all ? undefined : 'open' };
  const limit = readLimit(values.limit, 20);
  const list = await readList(context.openAdmin(), '/reviews', { query, limit, item: review });
  if (values.json) printJson(context, list);
  else printTable(context, list.data, columns, values.all ? decision : {});
  if (list.has_more && !values.json) context.report(`There are more than these ${limit}: raise --limit.`);
  return 0;
}

const columns = {
  EXECUTION: (one: Review) => one.execution_id,
  ORGANIZATION: (one: Review) => one.organization_id,
  MODEL: ({ model }: Review) => model ?? '',
  CHARGED: ({ hold }: Review) => hold,
  REPORTED: (one: Review) => shownCost(one.reported_cost),
  AGE: ({ created_at: at }: Review) => shownAge(at),
};

const decision = {
  STATE: ({ state }: Review) => state.replace('_', ' '),
  ACCEPTED: ({ charged }: Review) => charged ?? '',
  BY: ({ decided_by: by }: Review) => by ?? '',
  REASON: ({ reason }: Review) => reason ?? '',
};

const maxDigits = 24;

/** A cost can have hundreds of digits. */
export const shownCost = (cost: string) =>
  cost.length > maxDigits ? new MoneyDecimal(cost).toExponential(3) : cost;

const decideOptions = {
  reason: { type: 'string' },
  'idempotency-key': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export async function reviewAccept(args: string[], context: Context): Promise<number> {
  const options = { ...decideOptions, amount: { type: 'string' } } as const;
  const { operands, values } = readOperands('review accept', args, ['execution'], options);
  const amount =
    values.amount === undefined ? undefined : readAmount('holdfast review accept', values.amount);
  return await decide('accept', operands[0], { ...values, amount }, context);
}

export async function reviewWriteOff(args: string[], context: Context): Promise<number> {
  const { operands, values } = readOperands('review write-off', args, ['execution'], decideOptions);
  return await decide('write-off', operands[0], values, context);
}

type Flags = {
  reason?: string | undefined;
  amount?: string | undefined;
  'idempotency-key'?: string | undefined;
  json?: boolean | undefined;
};

async function decide(action: string, execution: string, flags: Flags, context: Context): Promise<number> {
  const { reason, amount, json } = flags;
  if (!reason) throw new UsageError(`holdfast review ${action} needs --reason`);
  const key = flags['idempotency-key'] ?? newKey(context);
  let isReplay = false;
  const reply = await context.openAdmin().request('POST', adminPath('reviews', execution, action), {
    body: { amount, reason },
    headers: { 'idempotency-key': key },
    onReplay: () => {
      isReplay = true;
    },
  });
  const decided = review.parse(reply);
  if (json) printJson(context, { ...decided, replayed: isReplay });
  else context.print(textOf(decided, isReplay));
  return 0;
}

function textOf({ execution_id: id, charged, decided_at: at }: Review, isReplay: boolean): string {
  const what = charged === null ? 'written off, nothing more is charged' : `accepted, ${charged} USD charged`;
  const earlier = `on ${shownTime(at)} under this idempotency key; nothing changed`;
  return `${id}: ${what}${isReplay ? ` ${earlier}` : ''}`;
}
