import { type BacklogKind, readBacklog } from '@holdfast/db/backlog/read';
import type { Command } from '../command.ts';
import { readOperands } from '../flags.ts';
import { sayJson, sayTable } from '../output/print.ts';
import { shownSeconds } from '../output/times.ts';

/** In the order in which an execution comes by. */
const waitsFor: Record<BacklogKind, string> = {
  pending: 'executions that have not been started',
  waiting_tries: 'further tries whose time has come',
  running: 'runs at providers',
  abandoned: 'runs whose dispatcher has gone',
  callbacks: 'callbacks of providers that have not been read',
  unsettled: 'outcomes that the ledger has not settled',
  overdue: 'executions that should have expired',
  events: 'events that have not been fanned out',
  deliveries: 'deliveries that are due, those of inactive endpoints too',
};

export const queuesShow: Command = {
  name: 'queues',
  about:
    'show what waits: the jobs of every queue in Redis, and in the database what is to be done, with the age of the oldest',
  usage: 'holdfast queues [--json]',
  async run(args, context) {
    const { values } = readOperands('queues', args, [], { json: { type: 'boolean' } });
    const inspector = await context.openInspector();
    const [depths, backlog] = await Promise.all([inspector.depths(), readBacklog(context.openDatabase())]);
    const kinds = Object.keys(waitsFor) as BacklogKind[];
    if (values.json) {
      const queues = depths.map(({ queue, isPaused, oldestWaitingMs, ...counts }) => ({
        queue,
        ...counts,
        is_paused: isPaused,
        oldest_waiting_s: oldestWaitingMs === null ? null : oldestWaitingMs / 1000,
      }));
      const waiting = kinds.map((kind) => [
        kind,
        { count: backlog[kind].count, oldest_s: backlog[kind].oldestS },
      ]);
      sayJson(context, { queues, backlog: Object.fromEntries(waiting) });
      return 0;
    }
    sayTable(
      context,
      ['QUEUE', 'WAITING', 'ACTIVE', 'DELAYED', 'FAILED', 'OLDEST', 'PAUSED'],
      depths.map(({ queue, waiting, active, delayed, failed, oldestWaitingMs, isPaused }) => [
        queue,
        ...[waiting, active, delayed, failed].map(String),
        oldestWaitingMs === null ? '' : shownSeconds(oldestWaitingMs / 1000),
        isPaused ? 'yes' : '',
      ]),
    );
    context.say('');
    const rows = kinds.map((kind) => {
      const { count, oldestS } = backlog[kind];
      return [kind, String(count), oldestS === null ? '' : shownSeconds(oldestS), waitsFor[kind]];
    });
    sayTable(context, ['IN THE DATABASE', 'COUNT', 'OLDEST', 'WHAT WAITS'], rows);
    return 0;
  },
};
