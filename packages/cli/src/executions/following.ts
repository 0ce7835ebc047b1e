import { setTimeout as delay } from 'node:timers/promises';
import { terminalStatuses } from '@holdfast/domain/statuses';
import { reasonOf } from '@holdfast/kit/within';
import { type AdminApi, adminPath, readList } from '../admin/api.ts';
import { type ExecutionRecord, execution, executionWithAttempts } from '../admin/records.ts';
import type { Context } from '../command.ts';
import { RefusedError } from '../errors.ts';
import { printJson, printLine } from '../output/print.ts';

export type Following = {
  admin: AdminApi;
  context: Context;
  json: boolean;
  everyMs: number;
  signal: AbortSignal;
};

/** Prints every change of an execution until it ends; returns the exit code. */
export async function followOne(following: Following & { id: string }): Promise<number> {
  const { admin, context, json, id } = following;
  let lastChange = '';
  let lastLog = '';

  function show(body: unknown): number | null {
    const one = executionWithAttempts.parse(body);
    const log = newLog(lastLog, one.logs ?? '');
    lastLog = one.logs ?? '';
    const change = changeText(one);
    if (json && (change !== lastChange || log !== '')) printJson(context, body);
    if (!json) {
      for (const line of log.split('\n').filter((part) => part !== '')) printLine(context, `  | ${line}`);
      if (change !== lastChange) printLine(context, `${clock()}  ${change}`);
    }
    lastChange = change;
    if (!hasEnded(one)) return null;
    return one.status === 'COMPLETED' ? 0 : 1;
  }

  return await poll(following, () => admin.request('GET', adminPath('executions', id)), show, 1);
}

/** What a log has gained; only the end of a long log is kept. */
export function newLog(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const known = before.slice(-200);
  const at = now.lastIndexOf(known);
  return at === -1 ? now : now.slice(at + known.length);
}

/** How many of the newest are read at once; open executions that are older are read one by one. */
const newest = 100;

/** Prints every change of an organization's executions that are open or created from now on, until interrupted. */
export async function followAll(following: Following & { org: string }): Promise<number> {
  const { context, json } = following;
  const open = new Map<string, string>();
  const ended = new Set<string>();
  let isFirst = true;

  function showChange(one: ExecutionRecord): void {
    const text = changeText(one);
    const isNew = !ended.has(one.id) && open.get(one.id) !== text;
    if (hasEnded(one)) {
      open.delete(one.id);
      ended.add(one.id);
    } else open.set(one.id, text);
    // Executions that had ended before the command started are not shown.
    if (!isNew || (isFirst && hasEnded(one))) return;
    if (json) printJson(context, one);
    else printLine(context, `${clock()}  ${one.id}  ${one.model}  ${text}`);
  }

  function showAll(executions: ExecutionRecord[]): null {
    for (const one of executions) showChange(one);
    isFirst = false;
    return null;
  }

  return await poll(following, () => readNewestAndOpen(following, open), showAll, 0);
}

/** The newest executions, and those in `open`; the oldest first. */
async function readNewestAndOpen({ admin, org }: Following & { org: string }, open: Map<string, string>) {
  const query = { organization_id: org };
  const { data } = await readList(admin, '/executions', { query, limit: newest, item: execution });
  const older: ExecutionRecord[] = [];
  for (const id of open.keys()) {
    if (data.some((one) => one.id === id)) continue;
    older.push(execution.parse(await admin.request('GET', adminPath('executions', id))));
  }
  return [...older, ...data.toReversed()];
}

function changeText(one: ExecutionRecord): string {
  const parts = [
    one.queue_position === null ? '' : `${one.queue_position} before it`,
    one.progress === null || hasEnded(one) ? '' : `${Math.round(one.progress * 100)} %`,
    one.cost === null ? '' : `cost ${one.cost}`,
    one.error ? `${one.error.code}: ${one.error.message}` : '',
  ];
  return [one.status, ...parts.filter((part) => part !== '')].join('  ');
}

const hasEnded = ({ status }: { status: string }) => terminalStatuses.some((one) => one === status);

/** The time of this machine: `10:30:00`. */
const clock = () => new Date().toTimeString().slice(0, 8);

/** `interrupted` is the exit code after Ctrl-C. Only the first request throws: the admin API may restart later. */
export async function poll<Read>(
  { context, everyMs, signal }: Following,
  read: () => Promise<Read>,
  show: (read: Read) => number | null,
  interrupted: number,
): Promise<number> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const code = show(await read());
      if (code !== null) return code;
    } catch (error) {
      if (signal.aborted) return interrupted;
      if (isFirst || error instanceof RefusedError) throw error;
      context.report(`holdfast: ${reasonOf(error)} Retrying.`);
    }
    if (!(await waited(everyMs, signal))) return interrupted;
  }
}

/** False when the signal came before the time had passed. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return await delay(ms, true, { signal }).catch(() => false);
}
