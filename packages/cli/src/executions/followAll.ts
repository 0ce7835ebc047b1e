import { readList } from '../admin/list.ts';
import { adminPath } from '../admin/path.ts';
import { type ExecutionRecord, execution } from '../admin/shapes.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { askOn, changeText, clock, type Following } from './following.ts';
import { hasEnded } from './hasEnded.ts';

/** So many of the newest are read at once; what runs and is older is read by itself. */
const newest = 100;

/** Tells every change of an organization's executions that are made from now on, or run now, until it is stopped. */
export async function followAll(following: Following & { org: string }): Promise<number> {
  const { context, json } = following;
  const open = new Map<string, string>();
  const ended = new Set<string>();
  let isFirst = true;

  function tellOf(one: ExecutionRecord): void {
    const text = changeText(one);
    const isNews = !ended.has(one.id) && open.get(one.id) !== text;
    if (hasEnded(one)) {
      open.delete(one.id);
      ended.add(one.id);
    } else open.set(one.id, text);
    // What had ended before is no news.
    if (!isNews || (isFirst && hasEnded(one))) return;
    if (json) sayJson(context, one);
    else sayLine(context, `${clock()}  ${one.id}  ${one.model}  ${text}`);
  }

  function take(executions: ExecutionRecord[]): null {
    for (const one of executions) tellOf(one);
    isFirst = false;
    return null;
  }

  return await askOn(following, () => changed(following, open), take, 0);
}

/** The newest, and those that were open when they were last seen; the oldest first. */
async function changed({ admin, org }: Following & { org: string }, open: Map<string, string>) {
  const query = { organization_id: org };
  const { data } = await readList(admin, '/executions', { query, limit: newest, item: execution });
  const older: ExecutionRecord[] = [];
  for (const id of open.keys()) {
    if (data.some((one) => one.id === id)) continue;
    older.push(execution.parse(await admin.ask('GET', adminPath('executions', id))));
  }
  return [...older, ...data.toReversed()];
}
