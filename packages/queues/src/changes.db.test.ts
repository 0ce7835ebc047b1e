import { createLogger } from '@holdfast/kit/logger';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openChangeFeed, openChangePublisher } from './changes.ts';
import { connectProducer, untilReady } from './connection.ts';

const log = createLogger('test', 'silent');
const redis = connectProducer(testRedisUrl(), log);
afterAll(() => redis.disconnect());

describe('changes of executions', () => {
  it('reach a feed that listens, which remembers their statuses for a while', async () => {
    await untilReady(redis, 5000);
    const changes: unknown[] = [];
    let livenesses = 0;
    const feed = openChangeFeed({
      redis,
      log,
      onChange: (...change) => changes.push(change),
      onLive: () => (livenesses += 1),
    });
    const publish = openChangePublisher(redis);
    feed.listen();
    await until('the feed is live', feed.isLive);
    publish(['exec_1', 'exec_2'], 'COMPLETED');
    publish(['exec_3'], null);
    await until('all have come', () => changes.length === 3);
    expect(changes).toEqual([
      ['exec_1', 'COMPLETED'],
      ['exec_2', 'COMPLETED'],
      ['exec_3', null],
    ]);
    expect(['exec_2', 'exec_3'].map(feed.statusOf)).toEqual(['COMPLETED', undefined]);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB');
    await until('it subscribes again', () => livenesses === 2);
    expect(feed.statusOf('exec_2')).toBeUndefined();
    feed.pause();
    expect(feed.isLive()).toBe(false);
  });
});
