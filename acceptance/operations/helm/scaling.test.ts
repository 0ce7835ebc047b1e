import { createLogger } from '@holdfast/kit/logger';
import { connectProducer, type Redis } from '@holdfast/queues/connection';
import { queueNames, settleQueue } from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { describe, expect, it } from '@jest/globals';
import { type Dict } from '../../../scripts/generators/chart.ts';
import { ofKind, workloadsOf } from './pods.ts';
import { renderChart, valuesOf } from './renderChart.ts';

type Trigger = { type: string; name?: string; metadata: Record<string, string>; authenticationRef?: Dict };
const objects = renderChart(valuesOf('keda'));
const scaled = ofKind(objects, 'ScaledObject').map(({ spec }) => spec as { triggers: Trigger[] } & Dict);
const triggers = scaled.flatMap((one) => one.triggers);
const lists = triggers.filter(({ type }) => type === 'redis');

const lengthOf = (redis: Redis, name: string) =>
  redis.llen(lists.find((list) => list.name === name)?.metadata['listName'] ?? '');

describe('scaling', () => {
  it('by queue depth has a trigger for every queue', () => {
    const names = queueNames.map((name) => `${name}-wait`);
    expect(lists).toHaveLength(names.length);
    expect(new Set(lists.map(({ name }) => name))).toEqual(new Set(names));
  });

  it('by queue depth reads the lists that contain waiting jobs', async () => {
    await emptyRedis(testRedisUrl());
    const redis = connectProducer(testRedisUrl(), createLogger('test', 'silent'));
    await new Promise((ready) => redis.once('ready', ready));
    const producer = openProducer(settleQueue, redis, createLogger('test', 'silent'));
    await producer.addAll([
      { attemptIds: ['a'], ok: true },
      { attemptIds: ['b'], ok: true },
    ]);
    expect(await lengthOf(redis, 'settle-wait')).toBe(2);
    for (const { name = '', metadata } of lists) {
      const queue = name.slice(0, -'-wait'.length);
      expect(metadata['listName']).toBe(`{holdfast-${queue}}:${queue}:wait`);
    }
    await producer.close();
    redis.disconnect();
  });

  it('connects to Redis as configured', () => {
    for (const { metadata, authenticationRef } of lists) {
      expect(metadata).toMatchObject({
        address: 'redis.example.com:6379',
        enableTLS: 'true',
        databaseIndex: '2',
      });
      expect(authenticationRef).toEqual({ name: 'hf-holdfast-redis' });
    }
    const [authentication] = ofKind(objects, 'TriggerAuthentication');
    expect(authentication?.metadata.name).toBe('hf-holdfast-redis');
    expect(authentication?.['spec']).toEqual({
      secretTargetRef: [
        { parameter: 'password', name: 'holdfast-redis', key: 'REDIS_PASSWORD' },
        { parameter: 'username', name: 'holdfast-redis', key: 'REDIS_USERNAME' },
      ],
    });
  });

  it('queries metrics that the services export', () => {
    const queries = triggers
      .filter(({ type }) => type === 'prometheus')
      .map(({ metadata }) => metadata['query']);
    expect(queries).toEqual([
      'sum(holdfast_runs_in_flight{namespace="prod"})',
      'max(holdfast_backlog{kind="unsettled", namespace="prod"})',
      'sum(holdfast_webhook_slots_taken{namespace="prod"})',
    ]);
  });

  it('needs no Redis trigger with Prometheus, as behind sentinels and with a cluster', () => {
    const made = renderChart(valuesOf('keda-prometheus'));
    const all = ofKind(made, 'ScaledObject').flatMap(
      ({ spec }) => (spec as { triggers: Trigger[] }).triggers,
    );
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['cpu', 'prometheus']));
    expect(ofKind(made, 'TriggerAuthentication')).toEqual([]);
  });

  it.each([
    ['hpa', 'HorizontalPodAutoscaler'],
    ['keda', 'ScaledObject'],
    ['keda-prometheus', 'ScaledObject'],
  ])('by %s has one %s for each service, and no fixed number of replicas', (name, kind) => {
    const made = renderChart(valuesOf(name));
    const targets = ofKind(made, kind).map(
      ({ spec }) => (spec as { scaleTargetRef: Dict }).scaleTargetRef['name'],
    );
    const services = workloadsOf(made).filter((one) => one.kind === 'Deployment');
    expect(targets).toEqual(services.map((one) => `hf-holdfast-${one.name}`));
    for (const { spec } of services) expect(spec['replicas']).toBeUndefined();
    expect(made.some((one) => one.kind.includes('Scale') && one.kind !== kind)).toBe(false);
  });

  it('is off by default', () => {
    const plain = renderChart(valuesOf('minimal'));
    expect(plain.filter(({ kind }) => /Scale/.test(kind))).toEqual([]);
    const deployments = workloadsOf(plain).filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(4);
    for (const { spec } of deployments) expect(spec['replicas']).toBe(2);
  });
});
