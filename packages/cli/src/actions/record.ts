import { hostname, userInfo } from 'node:os';
import { finishAdminAction, startAdminAction } from '@holdfast/db/adminActions';
import type { Database } from '@holdfast/db/client';
import { newId } from '@holdfast/domain/ids';
import { UsageError } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';
import { RefusedError } from '../errors.ts';

/** Records a change in the audit log before it runs, and again with the result; without a record the command does not run. */
export async function recorded(
  { db, name, args, report }: { db: Database; name: string; args: string[]; report: Context['report'] },
  run: () => Promise<number>,
): Promise<number> {
  const action = {
    id: newId('act'),
    // Names of admin tokens have no colon.
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
      report('holdfast: the result could not be written to the audit log'),
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

/** In a container the user may have only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
