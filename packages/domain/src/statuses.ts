import type { EventType } from './events.ts';

/** The statuses and their changes: contract 4. */
export const executionStatuses = [
  'PENDING',
  'PROCESSING',
  'AWAITING_WEBHOOK',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'EXPIRED',
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const openStatuses = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'] as const;
export const terminalStatuses = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;

export type Transition = {
  from: readonly ExecutionStatus[];
  to: ExecutionStatus;
  event: EventType | null;
};

/** No status changes except by one of these rows. */
export const transitions = {
  start: { from: ['PENDING'], to: 'PROCESSING', event: 'execution.started' },
  awaitCallback: { from: ['PROCESSING'], to: 'AWAITING_WEBHOOK', event: null },
  complete: { from: ['PROCESSING', 'AWAITING_WEBHOOK'], to: 'COMPLETED', event: 'execution.completed' },
  fail: { from: ['PROCESSING', 'AWAITING_WEBHOOK'], to: 'FAILED', event: 'execution.failed' },
  cancel: { from: openStatuses, to: 'CANCELLED', event: 'execution.cancelled' },
  expire: { from: openStatuses, to: 'EXPIRED', event: 'execution.expired' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

export function isTerminal(status: ExecutionStatus): boolean {
  return (terminalStatuses as readonly string[]).includes(status);
}
