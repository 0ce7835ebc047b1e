import type { RedisFacts } from '@holdfast/queues/inspector';
import type { ForeignKey } from '@holdfast/queues/queueKeys';
import { type Check, clockFinding, type Finding } from '../findings.ts';

export const redisCheck: Check = {
  check: 'redis',
  fix: 'is Redis up, and is REDIS_URL right? Until then sweeps find the work, more slowly; nothing is lost',
  runbook: 'HoldfastRedisUnreachable',
  async run(context) {
    const inspector = await context.openInspector();
    const facts = await inspector.facts();
    const depths = await inspector.depths();
    const paused = depths.filter(({ isPaused }) => isPaused).map(({ queue }) => queue);
    const foreignKeys = depths.flatMap((depth) => depth.foreignKeys);
    const findings: Finding[] = [
      { state: 'ok', check: 'redis', found: `${facts.version}, persistence: ${facts.persistence}` },
      memoryFinding(facts),
      clockFinding('clock of redis', facts),
    ];
    findings.push(...foreignFindings('queues', 'sweeps do the work meanwhile, more slowly', foreignKeys));
    const foreignLimits = await inspector.foreignLimits();
    findings.push(...foreignFindings('limits', 'other keys count the runs meanwhile', foreignLimits));
    if (paused.length > 0) {
      const fix = 'holdfast queues resume QUEUE: no worker takes jobs from a paused queue';
      findings.push({
        state: 'error',
        check: 'queues',
        found: `paused: ${paused.join(', ')}`,
        fix,
        runbook: 'HoldfastQueueStuck',
      });
    }
    return findings;
  },
};

function foreignFindings(check: string, meanwhile: string, keys: ForeignKey[]): Finding[] {
  if (keys.length === 0) return [];
  const shown = keys.map(({ key, type, expected }) => `${key} is a ${type}, not a ${expected}`);
  return [
    {
      state: 'error',
      check,
      found: `unusable: ${shown.join('; ')}`,
      fix: `DEL these keys, and give Holdfast a Redis of its own: ${meanwhile}`,
      runbook: 'HoldfastQueueUnusable',
    },
  ];
}

function memoryFinding({
  maxmemoryPolicy: policy,
  maxmemoryBytes: maxBytes,
  usedBytes,
}: RedisFacts): Finding {
  const check = 'memory of redis';
  const room =
    maxBytes === 0 ? 'no maxmemory' : `${Math.round((usedBytes / maxBytes) * 100)} % of maxmemory used`;
  const found = `maxmemory-policy ${policy}, ${room}`;
  if (policy !== 'noeviction') {
    const fix =
      'CONFIG SET maxmemory-policy noeviction, and set it in the configuration: evicted jobs are found late';
    return { state: maxBytes === 0 ? 'warning' : 'error', check, found, fix };
  }
  if (maxBytes > 0 && usedBytes / maxBytes > 0.8) {
    return {
      state: 'warning',
      check,
      found,
      fix: 'give it more memory: when it is full it refuses jobs',
    };
  }
  return { state: 'ok', check, found };
}
