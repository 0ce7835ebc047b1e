import { readList } from '../admin/list.ts';
import { type ExecutionRecord, execution } from '../admin/shapes.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { changeText, clock, type Following, waited } from './following.ts';
import { hasEnded } from './hasEnded.ts';

/** So many of the newest are read at once; what runs and is older is read by itself. */
const newest = 100;

/** Tells every change of an organization's executions that are made from now on, or run now, until it is stopped. */
export async function followAll(args: Following & { org: string }): Promise<number> {
  const { context, everyMs, signal, json } = args;
  const open = new Map<string, string>();
  const ended = new Set<string>();
  for (let first = true; ; first = false) {
    for (const one of await changed(args, open)) {
      const text = changeText(one);
      const isNews = !ended.has(one.id) && open.get(one.id) !== text;
      if (hasEnded(one)) {
        open.delete(one.id);
        ended.add(one.id);
      } else open.set(one.id, text);
      // What had ended before is no news.
      if (!isNews || (first && hasEnded(one))) continue;
      if (json) sayJson(context, one);
      else sayLine(context, `${clock()}  ${one.id}  ${one.model}  ${text}`);
    }
    if (!(await waited(everyMs, signal))) return 0;
  }
}

/** The newest, and those that were open when they were last seen; the oldest first. */
async function changed({ admin, org }: Following & { org: string }, open: Map<string, string>) {
  const query = { organization_id: org };
  const { data } = await readList(admin, '/executions', { query, limit: newest, item: execution });
  const older: ExecutionRecord[] = [];
  for (const id of open.keys()) {
    if (data.some((one) => one.id === id)) continue;
    older.push(execution.parse(await admin.ask('GET', `/executions/${encodeURIComponent(id)}`)));
  }
  return [...older, ...data.toReversed()];
}
