import { type Backlog, type BacklogKind, readBacklog } from '@holdfast/db/backlog';
import { reasonOf } from '@holdfast/kit/within';
import type { QueueDepth } from '@holdfast/queues/depth';
import type { Context } from '../command.ts';
import { exitCodes } from '../exitCodes.ts';
import { readOperands } from '../flags.ts';
import { sayJson } from '../output/print.ts';
import { sayTable } from '../output/table.ts';
import { shownSeconds } from '../output/times.ts';
import { UsageError } from '../usageError.ts';

/** In the order in which an execution comes by. */
const meanings: Record<BacklogKind, string> = {
  pending: 'executions to be started',
  waiting_tries: 'further attempts that are due',
  busy: 'attempts that wait because their providers are busy',
  running: 'runs at providers',
  abandoned: 'runs whose dispatcher has gone',
  callbacks: 'unread callbacks of providers',
  unsettled: 'outcomes that the ledger has not settled',
  overdue: 'executions past their expiry',
  events: 'events without deliveries yet',
  deliveries: 'due deliveries, of inactive endpoints too',
};

/** 1: Redis did not respond. What one of the two can show is shown without the other. */
export async function queuesShow(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('queues', args, [], { json: { type: 'boolean' } });
  const [depths, backlog] = await Promise.allSettled([
    context.openInspector().then((inspector) => inspector.depths()),
    context.openDatabase().then(readBacklog),
  ]);
  if (depths.status === 'rejected' && depths.reason instanceof UsageError) throw depths.reason;
  const halves = { depths: valueOf(depths), backlog: valueOf(backlog) };
  if (values.json) sayJson(context, documentOf(halves));
  else sayHalves(context, halves);
  if (depths.status === 'rejected') context.tell(`holdfast: ${reasonOf(depths.reason)}`);
  if (backlog.status === 'rejected') throw backlog.reason;
  return depths.status === 'rejected' ? exitCodes.wrong : 0;
}

/** Null: it could not be read. */
type Halves = { depths: QueueDepth[] | null; backlog: Backlog | null };

const valueOf = <Value>(half: PromiseSettledResult<Value>) =>
  half.status === 'fulfilled' ? half.value : null;

const kinds = Object.keys(meanings) as BacklogKind[];

function documentOf({ depths, backlog }: Halves) {
  const queues = depths?.map(({ queue, isPaused, oldestWaitingMs, ...counts }) => ({
    queue,
    ...counts,
    is_paused: isPaused,
    oldest_waiting_s: oldestWaitingMs === null ? null : oldestWaitingMs / 1000,
  }));
  const entries =
    backlog && kinds.map((kind) => [kind, { count: backlog[kind].count, oldest_s: backlog[kind].oldestS }]);
  return { queues: queues ?? null, backlog: entries && Object.fromEntries(entries) };
}

function sayHalves(context: Context, { depths, backlog }: Halves): void {
  if (depths)
    sayTable(context, depths, {
      QUEUE: ({ queue }) => queue,
      WAITING: ({ waiting }) => String(waiting),
      ACTIVE: ({ active }) => String(active),
      DELAYED: ({ delayed }) => String(delayed),
      FAILED: ({ failed }) => String(failed),
      OLDEST: ({ oldestWaitingMs: ms }) => (ms === null ? '' : shownSeconds(ms / 1000)),
      PAUSED: ({ isPaused }) => (isPaused ? 'yes' : ''),
    });
  if (depths && backlog) context.say('');
  if (backlog)
    sayTable(context, kinds, {
      'IN THE DATABASE': (kind) => kind,
      COUNT: (kind) => String(backlog[kind].count),
      OLDEST: (kind) => ageText(backlog[kind].oldestS),
      MEANING: (kind) => meanings[kind],
    });
}

const ageText = (seconds: number | null) => (seconds === null ? '' : shownSeconds(seconds));
