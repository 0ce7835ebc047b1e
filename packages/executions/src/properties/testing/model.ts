import type { OveragePolicies } from '@holdfast/domain/ledger';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { money, type Units, units } from './amounts.ts';

/** The rules of the design without a database, batches or races. */
export type Model = { accounts: ModelAccount[]; executions: ModelExecution[] };

export type ModelAccount = {
  available: Units;
  held: Units;
  /** Results of adjustments by idempotency key. */
  adjusted: Map<string, string>;
  /** By scope: `all` for the organization, a number for an API key. */
  limits: Map<LimitScope, Units>;
  policies: OveragePolicies;
};

/** The platform's limit, as in a new database. */
export const platformPolicies: OveragePolicies = { overage: 'charge', spendLimitOverage: 'cap' };
/** The last organization's limit, for a whole run. */
export const cappedPolicies: OveragePolicies = { overage: 'cap', spendLimitOverage: 'cap' };

export const limitScopes = ['all', 0] as const;
export type LimitScope = (typeof limitScopes)[number];

export type ModelExecution = {
  organization: number;
  apiKey: number;
  idempotencyKey: string | null;
  estimate: string;
  body: string;
  hold: Units;
  cost: Units | null;
  writtenOff: Units;
  isInReview: boolean;
  status: ExecutionStatus;
  wasStarted: boolean;
  isOverdue: boolean;
  attempt: ModelAttempt | null;
};

export type ModelAttempt = {
  isFinished: boolean;
  outcome: { ok: true; cost: Units } | { ok: false } | null;
  /** Whether the outcome was recorded before `expires_at`. */
  inTime: boolean;
  isSettled: boolean;
};

/** The number of organizations of a run, and their initial balance. */
export const organizations = 3;
export const openingBalance = '40';

export function newModel(): Model {
  const account = (_: unknown, organization: number) => ({
    available: units(openingBalance),
    held: 0n,
    adjusted: new Map<string, string>(),
    limits: new Map<LimitScope, Units>(),
    policies: organization === organizations - 1 ? cappedPolicies : platformPolicies,
  });
  return { accounts: Array.from({ length: organizations }, account), executions: [] };
}

export function accountOf(model: Model, organization: number): ModelAccount {
  const account = model.accounts[organization];
  if (!account) throw new Error('no such organization');
  return account;
}

const terminal: readonly ExecutionStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

export const isOpen = ({ status }: ModelExecution): boolean => !terminal.includes(status);

/** Ends an execution: its hold is released, less the charge. */
export function end(
  model: Model,
  execution: ModelExecution,
  status: ExecutionStatus,
  price: Units | null,
): void {
  const account = accountOf(model, execution.organization);
  const cost = price === null ? null : charged(model, execution, price);
  account.held -= execution.hold;
  account.available += execution.hold - (cost ?? 0n);
  execution.status = status;
  execution.cost = cost;
  execution.isInReview = price !== null && isBeyondBelief(price, execution.hold);
  execution.writtenOff = execution.isInReview ? 0n : (price ?? 0n) - (cost ?? 0n);
}

const isBeyondBelief = (price: Units, hold: Units) => price > hold * 10n;

/** The price, limited to the hold plus what every cap allows; one that no one would believe to the hold. */
function charged(model: Model, { hold, organization, apiKey }: ModelExecution, price: Units): Units {
  if (isBeyondBelief(price, hold)) return hold;
  const { available, limits, policies } = accountOf(model, organization);
  const rooms = policies.overage === 'cap' ? [available] : [];
  if (policies.spendLimitOverage === 'cap') {
    const counting = [...limits].filter(([scope]) => scope === 'all' || scope === apiKey);
    rooms.push(...counting.map(([scope, limit]) => limit - spent(model, organization, scope)));
  }
  const room = rooms.reduce((least, one) => (one < least ? one : least), price > hold ? price - hold : 0n);
  return price > hold ? hold + (room > 0n ? room : 0n) : price;
}

/** The holds of open executions of a scope and the charges of others. */
export function spent(model: Model, organization: number, scope: LimitScope): Units {
  return model.executions
    .filter((one) => one.organization === organization && (scope === 'all' || one.apiKey === scope))
    .reduce((sum, one) => sum + (isOpen(one) ? one.hold : (one.cost ?? 0n)), 0n);
}

/** The view of the model that `observe` returns of the database. */
export function expectedView(model: Model) {
  return {
    balances: model.accounts.map(({ available, held }) => ({
      available: money(available),
      held: money(held),
    })),
    executions: model.executions.map(({ status, hold, cost, writtenOff, isInReview, wasStarted }) => ({
      status,
      hold: money(hold),
      cost: cost === null ? null : money(cost),
      writtenOff: writtenOff === 0n ? null : money(writtenOff),
      isInReview,
      wasStarted,
    })),
    limits: model.accounts.map(({ limits }, organization) =>
      limitScopes.flatMap((scope) => {
        const amount = limits.get(scope);
        if (amount === undefined) return [];
        return [{ scope, amount: money(amount), spent: money(spent(model, organization, scope)) }];
      }),
    ),
  };
}
