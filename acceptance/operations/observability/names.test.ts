import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { create, untilEvent } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { queries, rulesOf } from './files.ts';

type Line = { service: string; port?: number; metricsPort?: number };

const ports = new Map<string, number>();
const stack = await stackOfTests({ LOG_LEVEL: 'info' }, [], (line) => {
  const { service, port, metricsPort = port } = JSON.parse(line) as Line;
  if (metricsPort !== undefined) ports.set(service, metricsPort);
});
const customer = await stack.newCustomer();
await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
const id = await create(customer.api, 'sandbox-text', { prompt: 'Once upon a time' });
await untilEvent(stack.receiver, id, 'execution.completed');
const read = async () => {
  const all = [...ports.values()].map((port) => fetch(`http://127.0.0.1:${port}/metrics`));
  return (await Promise.all((await Promise.all(all)).map((response) => response.text()))).join('\n');
};
const text = await until(
  'depths and deliveries are exported',
  async () => {
    const now = await read();
    return /^holdfast_queue_depth\{/m.test(now) && /_delivery_seconds_count\{.*\} [1-9]/.test(now) && now;
  },
  45_000,
);

/** The type of every metric, and the labels of its samples. */
function exposed(): Map<string, { type: string; labels: Set<string> }> {
  const metrics = new Map<string, { type: string; labels: Set<string> }>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    for (const one of names) metrics.set(one, metrics.get(one) ?? { type, labels: new Set() });
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) metrics.get(name)?.labels.add(label);
  }
  return metrics;
}

const metricsIn = (expr: string) => expr.match(/\b(?:holdfast|nodejs|process)[_:][\w:]*/g) ?? [];

describe('every query of rules, dashboards and the chart', () => {
  it('uses metrics that the services export', () => {
    const there = exposed();
    const recorded = new Set(rulesOf('recording.yml').map(({ record }) => record));
    const missing = queries().flatMap(({ where, expr }) =>
      metricsIn(expr)
        .filter((name) => !there.has(name) && !recorded.has(name))
        .map((name) => `${where}: ${name}`),
    );
    expect(queries().length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  it('selects by labels that those metrics have', () => {
    const there = exposed();
    const wrong = queries().flatMap(({ where, expr }) =>
      [...expr.matchAll(/\b((?:holdfast|nodejs|process)_\w+)\{([^{}]*(?:\{id\}[^{}]*)?)\}/g)].flatMap(
        ([, name = '', labels = '']) =>
          [...labels.matchAll(/(\w+)\s*[=!]~?"/g)]
            // Labels that Prometheus adds on a cluster.
            .filter(([, label]) => label !== 'namespace')
            .filter(([, label = '']) => {
              const known = there.get(name)?.labels;
              return known !== undefined && known.size > 0 && !known.has(label);
            })
            .map(([, label]) => `${where}: ${name} has no ${label}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('every metric of the services', () => {
  it('is used by a rule or a dashboard', () => {
    const queried = new Set(queries().flatMap(({ expr }) => metricsIn(expr)));
    const families = [...exposed().keys()].filter((name) => name.startsWith('holdfast_'));
    const unused = families.filter(
      (name) =>
        ![...queried].some(
          (one) => one.replace(/_(bucket|sum|count)$/, '') === name.replace(/_(bucket|sum|count)$/, ''),
        ),
    );
    expect(families.length).toBeGreaterThan(30);
    expect(unused).toEqual([]);
  });

  it('follows the naming rules of Prometheus, and has few labels and no id', () => {
    const ours = [...exposed()].filter(([name]) => name.startsWith('holdfast_'));
    for (const [name, { type, labels }] of ours) {
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours)$/);
      expect(labels.size).toBeLessThan(6);
    }
    expect(text).not.toMatch(/="(?:exec|att|org|evt|dlv|wh|file|key|req)_[0-9a-f]{8}-/);
  });
});
