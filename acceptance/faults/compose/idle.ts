import { setTimeout as delay } from 'node:timers/promises';
import type { Customer } from './customer.ts';
import { readLedger } from './ledger.ts';
import type { Project } from './project.ts';
import { someOpen } from './records.ts';

// A lease expires after 20 s and a webhook request after 45 s; one may follow the other.
const idleWithinS = 150;

/** Resolves when the organization has no pending work. @throws with the remaining work */
export async function untilIdle(project: Project, { api, organizationId }: Customer): Promise<void> {
  const deadlineMs = performance.now() + idleWithinS * 1000;
  for (;;) {
    const open = await someOpen(api);
    const { waiting } = await readLedger(project, organizationId);
    if (!open && Object.values(waiting).every((count) => count === 0)) return;
    if (performance.now() > deadlineMs) {
      const left = JSON.stringify({ executions: open ? 'some are open' : 0, ...waiting });
      throw new Error(`after ${idleWithinS} s work is pending: ${left}`);
    }
    await delay(1000);
  }
}
