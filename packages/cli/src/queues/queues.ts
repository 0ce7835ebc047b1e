import { type Backlog, type BacklogKind, readBacklog } from '@holdfast/db/backlog';
import { UsageError } from '@holdfast/kit/flags';
import { reasonOf } from '@holdfast/kit/within';
import type { QueueDepth } from '@holdfast/queues/depth';
import type { Context } from '../command.ts';
import { exitCodes } from '../errors.ts';
import { readOperands } from '../flags.ts';
import { printJson, printTable } from '../output/print.ts';
import { shownSeconds } from '../output/times.ts';

/** In the order of an execution's life. */
const meanings: Record<BacklogKind, string> = {
  pending: 'executions to be started',
  waiting_tries: 'retries that are due',
  busy: 'attempts waiting for busy providers',
  running: 'runs at providers',
  abandoned: 'runs that lost their dispatcher',
  callbacks: 'unprocessed provider callbacks',
  unsettled: 'outcomes to be settled',
  overdue: 'executions past their expiry',
  events: 'events to be fanned out',
  deliveries: 'due deliveries, inactive endpoints included',
  reviews: 'costs that an operator decides about',
};

/** Shows the queues in Redis and the backlog in the database, each also without the other. 1: Redis did not respond. */
export async function queuesShow(args: string[], context: Context): Promise<number> {
  const { values } = readOperands('queues', args, [], { json: { type: 'boolean' } });
  const [depths, backlog] = await Promise.allSettled([
    context.openInspector().then((inspector) => inspector.depths()),
    context.openDatabase().then((db) => readBacklog(db)),
  ]);
  if (depths.status === 'rejected' && depths.reason instanceof UsageError) throw depths.reason;
  const work = { depths: valueOf(depths), backlog: valueOf(backlog) };
  if (values.json) printJson(context, documentOf(work));
  else printWork(context, work);
  if (depths.status === 'rejected') context.report(`holdfast: ${reasonOf(depths.reason)}`);
  if (backlog.status === 'rejected') throw backlog.reason;
  return depths.status === 'rejected' ? exitCodes.wrong : 0;
}

/** Null: could not be read. */
type PendingWork = { depths: QueueDepth[] | null; backlog: Backlog | null };

const valueOf = <Value>(half: PromiseSettledResult<Value>) =>
  half.status === 'fulfilled' ? half.value : null;

const kinds = Object.keys(meanings) as BacklogKind[];

function documentOf({ depths, backlog }: PendingWork) {
  const queues = depths?.map(({ queue, waiting, active, delayed, failed, isPaused, oldestWaitingMs }) => ({
    queue,
    waiting,
    active,
    delayed,
    failed,
    is_paused: isPaused,
    oldest_waiting_s: oldestWaitingMs === null ? null : oldestWaitingMs / 1000,
  }));
  const entries =
    backlog && kinds.map((kind) => [kind, { count: backlog[kind].count, oldest_s: backlog[kind].oldestS }]);
  return { queues: queues ?? null, backlog: entries && Object.fromEntries(entries) };
}

function printWork(context: Context, { depths, backlog }: PendingWork): void {
  if (depths)
    printTable(context, depths, {
      QUEUE: ({ queue }) => queue,
      WAITING: ({ waiting }) => String(waiting),
      ACTIVE: ({ active }) => String(active),
      DELAYED: ({ delayed }) => String(delayed),
      FAILED: ({ failed }) => String(failed),
      OLDEST: ({ oldestWaitingMs: ms }) => (ms === null ? '' : shownSeconds(ms / 1000)),
      PAUSED: ({ isPaused }) => (isPaused ? 'yes' : ''),
    });
  if (depths && backlog) context.print('');
  if (backlog)
    printTable(context, kinds, {
      'IN THE DATABASE': (kind) => kind,
      COUNT: (kind) => String(backlog[kind].count),
      OLDEST: (kind) => ageText(backlog[kind].oldestS),
      MEANING: (kind) => meanings[kind],
    });
}

const ageText = (seconds: number | null) => (seconds === null ? '' : shownSeconds(seconds));
