import { setTimeout as delay } from 'node:timers/promises';
import { readBooks } from './books.ts';
import type { Customer } from './customer.ts';
import type { Project } from './project.ts';
import { someOpen } from './records.ts';

// A lease is out after 20 s, a webhook request is given up after 45 s, and either may follow the other.
const restsWithinS = 150;

/** Resolves when nothing of the organization waits for anything any more. @throws with what still does */
export async function untilAtRest(project: Project, { api, organizationId }: Customer): Promise<void> {
  const deadlineMs = performance.now() + restsWithinS * 1000;
  for (;;) {
    const open = await someOpen(api);
    const { waiting } = await readBooks(project, organizationId);
    if (!open && Object.values(waiting).every((count) => count === 0)) return;
    if (performance.now() > deadlineMs) {
      const left = JSON.stringify({ executions: open ? 'some are open' : 0, ...waiting });
      throw new Error(`after ${restsWithinS} s there still waits: ${left}`);
    }
    await delay(1000);
  }
}
