import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Dict } from '../../../scripts/generators/chart.ts';
import { ofKind, selects, workloadsOf } from './pods.ts';
import { type KubernetesObject, objectsOf, renderChart } from './renderChart.ts';
import { schemaProblems } from './schemas.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8');
const valuesOf = (name: string) => parse(read(`kubernetes/values-${name}.yaml`)) as Dict;
const serversOf = (name: string) => objectsOf(read(`kubernetes/${name}.yaml`));
const keysOf = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, key]) => key));

/** The names of Services that the servers have, CloudNativePG's included. */
const servicesOf = (servers: KubernetesObject[]) => [
  ...ofKind(servers, 'Service').map(({ metadata }) => metadata.name),
  ...ofKind(servers, 'Pooler').map(({ metadata }) => metadata.name),
  ...ofKind(servers, 'Cluster').flatMap(({ metadata }) =>
    ['rw', 'ro', 'r'].map((kind) => `${metadata.name}-${kind}`),
  ),
];

describe.each(['trial', 'production'])('the example %s', (name) => {
  const servers = serversOf(name);
  const objects = renderChart(valuesOf(name));

  it('is made of valid objects', () => {
    const problems = [...servers, ...objects].flatMap((object) =>
      schemaProblems(object).map((problem) => `${object.kind} ${object.metadata.name}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('lets the services connect to the servers that it has', () => {
    const env = workloadsOf(objects).flatMap(({ container }) => container.env);
    const addresses = env.flatMap(({ value = '' }) => value.match(/(?<=[@/])holdfast-[\w-]+(?=:\d)/g) ?? []);
    expect(addresses.length).toBeGreaterThan(5);
    expect(addresses.filter((one) => !servicesOf(servers).includes(one))).toEqual([]);
  });

  it('gives the owner of the database the right to create roles, and the Secret that the chart reads', () => {
    const [cluster] = ofKind(servers, 'Cluster');
    expect(cluster?.['spec']).toMatchObject({
      bootstrap: { initdb: { owner: 'holdfast', database: 'holdfast', secret: { name: 'holdfast' } } },
      managed: { roles: [{ name: 'holdfast', createrole: true, passwordSecret: { name: 'holdfast' } }] },
    });
    const migrate = workloadsOf(objects).find((one) => one.name === 'migrate');
    const owner = migrate?.container.env.find((one) => one.name === 'OWNER_DB_PASSWORD');
    expect(owner?.valueFrom?.secretKeyRef).toEqual({ name: 'holdfast', key: 'password' });
  });
});

describe('the example production', () => {
  it('has every commit on two servers, and loses none by a failover', () => {
    const [cluster] = ofKind(serversOf('production'), 'Cluster');
    expect(cluster?.['spec']).toMatchObject({
      instances: 3,
      postgresql: { synchronous: { method: 'any', number: 1, dataDurability: 'required' } },
      certificates: { serverAltDNSNames: ['holdfast-db-pooler'] },
    });
  });

  it('has fewer connections than PostgreSQL allows, and as many at the pooler as the services open', () => {
    const [cluster] = ofKind(serversOf('production'), 'Cluster') as unknown as [
      { spec: { postgresql: { parameters: Dict } } },
    ];
    const [pooler] = ofKind(serversOf('production'), 'Pooler') as unknown as [
      { spec: { instances: number; pgbouncer: { parameters: Record<string, string> } } },
    ];
    // A pool for each of the four roles.
    const { instances, pgbouncer } = pooler.spec;
    const toServer = instances * 4 * Number(pgbouncer.parameters['default_pool_size']);
    expect(toServer).toBeLessThan(Number(cluster.spec.postgresql.parameters['max_connections']) - 10);
  });
});

describe('the example trial', () => {
  const servers = serversOf('trial');
  const objects = renderChart(valuesOf('trial'));

  it('has NetworkPolicies that select the servers', () => {
    const policies = JSON.stringify(ofKind(objects, 'NetworkPolicy'));
    for (const { spec } of ofKind(servers, 'Deployment')) {
      const { labels } = (spec as { template: { metadata: { labels: Record<string, string> } } }).template
        .metadata;
      expect(policies).toContain(JSON.stringify({ podSelector: { matchLabels: labels } }));
      expect(
        ofKind(servers, 'Service').some((one) => selects((one['spec'] as Dict)['selector'], labels)),
      ).toBe(true);
    }
  });
});

describe('deploy/kind-up', () => {
  const script = read('kind-up');

  it('is a script that bash accepts', () => {
    expect(() => execFileSync('bash', ['-n', join(root, 'deploy/kind-up')])).not.toThrow();
  });

  it('makes every key of the Secret that the chart and the servers read', () => {
    const objects = renderChart(valuesOf('trial'));
    const text = JSON.stringify([objects, serversOf('trial')]);
    const wanted = keysOf(text, /"secretKeyRef":\{"name":"holdfast","key":"([^"]+)"\}/g);
    const made = keysOf(script, /^(username|password|[A-Z][A-Z0-9_]+)=/gm);
    expect(wanted.size).toBeGreaterThan(10);
    expect(made).toEqual(new Set([...wanted, 'username']));
  });

  it('builds every image that the chart runs', () => {
    const used = workloadsOf(renderChart(valuesOf('trial'))).map(({ container }) => container.image);
    const [built = ''] = script.match(/(?<=^images=\()[^)]+/m) ?? [];
    const names = used.map((image) => image.replace(/^holdfast-/, '').replace(/:.*/, ''));
    expect(new Set(built.split(' '))).toEqual(new Set(names));
  });
});
