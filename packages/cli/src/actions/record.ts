import { hostname, userInfo } from 'node:os';
import { finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import type { Database } from '@holdfast/db/client';
import { newId } from '@holdfast/domain/ids';
import { RefusedError } from '../admin/refusedError.ts';
import type { Context } from '../command.ts';
import { UsageError } from '../usageError.ts';

/**
 * Runs a command that changes something without the admin API, and writes it down as that does: before it is done, and then
 * what came of it, with the status that the admin API would have answered. What can't be written down is not done.
 */
export async function recorded(
  { db, name, args, tell }: { db: Database; name: string; args: string[]; tell: Context['tell'] },
  run: () => Promise<number>,
): Promise<number> {
  const action = {
    id: newId('act'),
    // A name with a colon is none that an admin token can have.
    actor: `cli:${userName()}`,
    address: hostname(),
    requestId: newId('req'),
    action: `holdfast ${name}`,
    organizationId: null,
    target: null,
    details: { arguments: args },
  };
  await startAdminAction(db, action);
  const end = (status: number) =>
    finishAdminAction(db, action, status).catch(() =>
      tell('holdfast: what came of this could not be written to the audit log'),
    );
  try {
    const code = await run();
    await end(code === 0 ? 200 : 409);
    return code;
  } catch (error) {
    await end(statusOf(error));
    throw error;
  }
}

function statusOf(error: unknown): number {
  if (error instanceof UsageError) return 400;
  return error instanceof RefusedError ? 409 : 500;
}

/** Who runs it; in a container that may be a number alone. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
