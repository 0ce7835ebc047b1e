import type { RedisFacts } from '@holdfast/queues/inspector';
import { clockFinding } from '../clock.ts';
import type { Check, Finding } from '../finding.ts';

export const redisCheck: Check = {
  check: 'redis',
  fix: 'is Redis up, and REDIS_URL right? Until then work is found by sweeps, more slowly; nothing is lost',
  runbook: 'HoldfastRedisAway',
  async look(context) {
    const inspector = await context.openInspector();
    const facts = await inspector.facts();
    const paused = (await inspector.depths()).filter(({ isPaused }) => isPaused).map(({ queue }) => queue);
    const findings: Finding[] = [
      { state: 'ok', check: 'redis', found: `${facts.version}, persistence: ${facts.persistence}` },
      memoryFinding(facts),
      clockFinding('clock of redis', facts),
    ];
    if (paused.length > 0) {
      const fix = 'holdfast queues resume QUEUE: no worker takes jobs of a paused queue';
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

function memoryFinding({
  maxmemoryPolicy: policy,
  maxmemoryBytes: most,
  usedBytes: used,
}: RedisFacts): Finding {
  const check = 'memory of redis';
  const room = most === 0 ? 'no maxmemory' : `${Math.round((used / most) * 100)} % of maxmemory used`;
  const found = `maxmemory-policy ${policy}, ${room}`;
  if (policy !== 'noeviction') {
    const fix =
      'CONFIG SET maxmemory-policy noeviction, and in its configuration: jobs that are evicted come late';
    return { state: most === 0 ? 'warning' : 'error', check, found, fix };
  }
  if (most > 0 && used / most > 0.8) {
    return {
      state: 'warning',
      check,
      found,
      fix: 'give it more memory: when it is full it takes no more jobs',
    };
  }
  return { state: 'ok', check, found };
}
