import { adminPath } from '../admin/path.ts';
import { executionWithAttempts } from '../admin/shapes.ts';
import { sayJson, sayLine } from '../output/print.ts';
import { askOn, changeText, clock, type Following } from './following.ts';
import { hasEnded } from './hasEnded.ts';

/** Tells every change of an execution until it ends, and the exit code. */
export async function followOne(following: Following & { id: string }): Promise<number> {
  const { admin, context, json, id } = following;
  let told = '';
  let log = '';

  function take(answer: unknown): number | null {
    const one = executionWithAttempts.parse(answer);
    const more = newLog(log, one.logs ?? '');
    log = one.logs ?? '';
    const text = changeText(one);
    if (json && (text !== told || more !== '')) sayJson(context, answer);
    if (!json) {
      for (const line of more.split('\n').filter((part) => part !== '')) sayLine(context, `  | ${line}`);
      if (text !== told) sayLine(context, `${clock()}  ${text}`);
    }
    told = text;
    if (!hasEnded(one)) return null;
    return one.status === 'COMPLETED' ? 0 : 1;
  }

  return await askOn(following, () => admin.ask('GET', adminPath('executions', id)), take, 1);
}

/** What a log has that was not there before; only its end is kept. */
export function newLog(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const known = before.slice(-200);
  const at = now.lastIndexOf(known);
  return at === -1 ? now : now.slice(at + known.length);
}
