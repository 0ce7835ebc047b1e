import { updateOrganization } from '@holdfast/db/organizations';
import { newId } from '@holdfast/domain/ids';
import type { Money } from '@holdfast/domain/money';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization } from '@holdfast/testkit/testData';
import type { CreateRequest } from '../../creator.ts';
import { cappedPolicies, organizations } from './model.ts';
import type { Dispatcher, Gateway, Ledger, Processes } from './processes.ts';

/** One run of a property: its own organizations, in a database with others, and the results it got. */
export type Run = {
  processes: Processes;
  organizationIds: string[];
  openingBalance: Money;
  /** In the order in which they were added. */
  executions: KnownExecution[];
  accepted: { organizationId: string; idempotencyKey: string | null; id: string; replayed: boolean }[];
  /** By organization and sequence in the journal. */
  adjusted: Map<string, { organizationId: string; amount: string }>;
  refusedCancels: string[];
  acceptedCancels: string[];
};

export type KnownExecution = {
  id: string;
  request: CreateRequest;
  organizationId: string;
  /** Null until it is started. */
  attempt: { id: string; token: string } | null;
  /** Every outcome that a process has tried to record. */
  outcomes: RecordedOutcome[];
};

export async function openRun(processes: Processes, balance: Money, count = organizations): Promise<Run> {
  processes.endings.length = 0;
  const organization = () => createTestOrganization(processes.owner, balance);
  const organizationIds = await Promise.all(Array.from({ length: count }, organization));
  await updateOrganization(processes.owner, organizationIds.at(-1) ?? '', cappedPolicies);
  return {
    processes,
    organizationIds,
    openingBalance: balance,
    executions: [],
    accepted: [],
    adjusted: new Map(),
    refusedCancels: [],
    acceptedCancels: [],
  };
}

export const cappedOrganizationId = ({ organizationIds }: Run): string => organizationIds.at(-1) ?? '';

/** Which of the two processes of a service. */
export type Which = 0 | 1;

export const gateway = ({ processes }: Run, which: Which): Gateway => processes.gateways[which];
export const dispatcher = ({ processes }: Run, which: Which): Dispatcher => processes.dispatchers[which];
export const ledger = ({ processes }: Run, which: Which): Ledger => processes.ledgers[which];

export function organizationId(run: Run, organization: number): string {
  return run.organizationIds[organization] ?? newId('org');
}

export const apiKeyId = (run: Run, organization: number, apiKey: number): string =>
  `key_${apiKey}_${organizationId(run, organization)}`;
