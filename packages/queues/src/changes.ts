import { type ExecutionStatus, executionStatuses } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import { LRUCache } from 'lru-cache';
import { duplicateOf, type Redis } from './connection.ts';

const channel = 'holdfast:changes';

/** The status that executions have since a commit, or null for a change of something else, such as progress. */
export type PublishChanges = (executionIds: string[], status: ExecutionStatus | null) => void;

/** Tells the gateways which executions changed. A message that gets lost costs a waiting client a second, no more. */
export function openChangePublisher(redis: Redis): PublishChanges {
  return (executionIds, status) => {
    if (executionIds.length === 0 || redis.status !== 'ready') return;
    redis.publish(channel, [status ?? '', ...executionIds].join(' ')).catch(() => {});
  };
}

export type ChangeFeed = {
  /** Reports changes from now on, by a connection of its own. */
  listen(): void;
  pause(): void;
  isLive(): boolean;
  /** The status that an execution got in the last seconds, if the feed was live then. */
  statusOf(executionId: string): ExecutionStatus | undefined;
};

/** Long enough for a client's next request, and for a create on its way back to the caller. */
const recent = { max: 10_000, ttl: 5000 };

export type ChangeHandlers = {
  onChange(executionId: string, status: ExecutionStatus | null): void;
  /** From now on no change is missed. */
  onLive(): void;
};

export function openChangeFeed(args: ChangeHandlers & { redis: Redis; log: Logger }): ChangeFeed {
  const statuses = new LRUCache<string, ExecutionStatus>(recent);
  let connection: Redis | null = null;
  let isLive = false;

  function receive(_channel: string, message: string): void {
    const [first, ...executionIds] = message.split(' ');
    const status = executionStatuses.find((one) => one === first) ?? null;
    for (const id of executionIds) {
      if (status) statuses.set(id, status);
      args.onChange(id, status);
    }
  }

  async function subscribe(opened: Redis): Promise<void> {
    try {
      await opened.subscribe(channel);
    } catch (error) {
      args.log.debug({ err: error }, 'could not subscribe to changes');
      return;
    }
    if (opened !== connection) return;
    isLive = true;
    args.onLive();
  }

  function forget(): void {
    isLive = false;
    statuses.clear();
  }

  return {
    listen() {
      if (connection) return;
      // The connection it copies reports that Redis is unavailable. A new subscription follows each reconnection.
      const opened = duplicateOf(args.redis).on('error', () => {});
      connection = opened;
      opened.on('message', receive);
      opened.on('ready', () => void subscribe(opened));
      opened.on('close', forget);
    },
    pause() {
      connection?.disconnect();
      connection = null;
      forget();
    },
    isLive: () => isLive,
    statusOf: (executionId) => statuses.get(executionId),
  };
}
