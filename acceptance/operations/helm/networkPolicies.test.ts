import { BlockList, isIPv6 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type Dict } from '../../../scripts/generators/chart.ts';
import { ofKind, selects, workloadsOf } from './pods.ts';
import { type KubernetesObject, renderChart, valuesOf } from './renderChart.ts';

type Peer = { ipBlock?: { cidr: string; except?: string[] } };
type Rule = { to?: Peer[]; from?: Dict[]; ports?: { port: number | string; endPort?: number }[] };
type Policy = { podSelector: Dict; policyTypes: string[]; egress?: Rule[]; ingress?: Rule[] };

const policiesOf = (objects: KubernetesObject[], labels: Record<string, string>) =>
  ofKind(objects, 'NetworkPolicy')
    .map(({ spec }) => spec as Policy)
    .filter(({ podSelector }) => selects(podSelector, labels));

function isWithin(cidrs: string[], address: string): boolean {
  const list = new BlockList();
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  for (const [net = '', bits] of cidrs.map((cidr) => cidr.split('/'))) {
    // A BlockList treats an IPv4 address as part of ::/0.
    if (isIPv6(net) === isIPv6(address)) list.addSubnet(net, Number(bits), family);
  }
  return list.check(address, family);
}

/** Whether a service may open a connection to an address outside the cluster. */
function reaches(objects: KubernetesObject[], service: string, address: string, port: number): boolean {
  const workload = workloadsOf(objects).find(({ name }) => name === service);
  const rules = policiesOf(objects, workload?.labels ?? {}).flatMap(({ egress = [] }) => egress);
  return rules.some(({ to, ports }) => {
    const isPort = (ports ?? [{ port }]).some(
      (one) => one.port === port || (Number(one.port) <= port && port <= (one.endPort ?? 0)),
    );
    const isThere = (to ?? []).some(
      ({ ipBlock }) =>
        ipBlock && isWithin([ipBlock.cidr], address) && !isWithin(ipBlock.except ?? [], address),
    );
    return isPort && (to === undefined || isThere);
  });
}

describe('the network policies and Services', () => {
  const objects = renderChart(valuesOf('minimal'));
  const outside = ['93.184.216.34', '2606:2800:220:1::1'];
  const inside = [
    '10.0.0.1',
    '172.20.1.1',
    '192.168.1.1',
    '169.254.169.254',
    '127.0.0.1',
    '100.64.0.1',
    'fd00:ec2::254',
    '::1',
    'fe80::1',
  ];
  const withAll = renderChart(valuesOf('everything'));

  it('deny every pod all connections that are not explicitly allowed', () => {
    for (const { labels } of workloadsOf(withAll)) {
      const policies = policiesOf(withAll, labels);
      expect(policies).toHaveLength(2);
      expect(policies.filter(({ ingress, egress }) => !ingress && !egress)).toHaveLength(1);
      for (const { policyTypes } of policies) expect(policyTypes).toEqual(['Ingress', 'Egress']);
    }
  });

  it.each(['dispatcher', 'webhook-sender'])(
    'let %s reach the internet, but no private address',
    (service) => {
      for (const address of outside) expect(reaches(objects, service, address, 443)).toBe(true);
      expect(reaches(objects, service, outside[0] ?? '', 80)).toBe(false);
      for (const address of inside) expect(reaches(objects, service, address, 443)).toBe(false);
    },
  );

  it.each(['dispatcher', 'webhook-sender'])('let %s reach what the values allow in addition', (service) => {
    expect(reaches(withAll, service, '10.20.1.1', 9999)).toBe(true);
    expect(reaches(withAll, service, '10.21.1.1', 9999)).toBe(false);
    expect(reaches(withAll, service, outside[0] ?? '', 80)).toBe(true);
    expect(reaches(withAll, service, outside[0] ?? '', 8080)).toBe(true);
  });

  it('let gateway and ledger reach no other address; the ledger does not use S3', () => {
    expect(reaches(objects, 'api-gateway', outside[0] ?? '', 8443)).toBe(false);
    expect(reaches(objects, 'api-gateway', inside[0] ?? '', 443)).toBe(false);
    for (const address of [...outside, ...inside])
      expect(reaches(objects, 'ledger', address, 443)).toBe(false);
  });

  it.each([
    ['api-gateway', true, true],
    ['dispatcher', true, true],
    ['ledger', true, true],
    ['webhook-sender', true, true],
    ['migrate', true, false],
  ])('let %s reach PostgreSQL (%s) and Redis (%s)', (service, postgres, redis) => {
    expect(reaches(objects, service, '10.0.0.1', 5432)).toBe(postgres);
    expect(reaches(objects, service, '10.0.0.1', 6379)).toBe(redis);
  });

  it.each([
    ['everything', true],
    ['hpa', false],
  ])(
    'publish only the API with the values %s, and have a Service for the admin port (%s)',
    (name, hasAdmin) => {
      const made = renderChart(valuesOf(name));
      const services = ofKind(made, 'Service').map(({ metadata, spec }) => ({
        name: metadata.name,
        spec: spec as Dict,
      }));
      const admin = services.filter(({ spec }) => JSON.stringify(spec['ports']).includes('admin'));
      expect(admin.map((service) => service.name)).toEqual(hasAdmin ? ['hf-holdfast-admin'] : []);
      for (const { spec } of services) expect(spec['type'] ?? 'ClusterIP').toBe('ClusterIP');
      const [ingress, another] = ofKind(made, 'Ingress');
      expect(another).toBeUndefined();
      const backends = JSON.stringify(ingress?.['spec']).match(/"backend":\{"service":[^}]*\}\}/g) ?? [];
      expect(new Set(backends)).toEqual(
        new Set(['"backend":{"service":{"name":"hf-holdfast-api-gateway","port":{"name":"http"}}']),
      );
      expect(JSON.stringify(ingress)).not.toMatch(/admin|8081/);
    },
  );

  it('let the gateway reach the replica, and every service each port of Redis', () => {
    const reach = (values: Dict) => {
      const made = renderChart({ ...valuesOf('minimal'), ...values });
      return (service: string, port: number) => reaches(made, service, '10.0.0.1', port);
    };
    const postgres = { host: 'db.example.com', replica: { host: 'replica.example.com', port: 5434 } };
    const to = reach({ postgres, redis: { ports: [6379, 26379] } });
    expect(['api-gateway', 'ledger', 'migrate'].map((service) => to(service, 5434))).toEqual([
      true,
      false,
      false,
    ]);
    expect(['api-gateway', 'ledger', 'migrate'].map((service) => to(service, 26379))).toEqual([
      true,
      true,
      false,
    ]);
    expect(reach({})('ledger', 26379)).toBe(false);
  });

  it('let the services reach the collector of traces, if there is one', () => {
    const endpoint = 'http://collector.monitoring:4318';
    const traced = renderChart({ ...valuesOf('minimal'), tracing: { endpoint }, demo: { enabled: true } });
    const reached = (made: KubernetesObject[]) =>
      workloadsOf(made)
        .map(({ name }) => name)
        .filter((name) => reaches(made, name, '10.0.0.1', 4318));
    expect(reached(objects)).toEqual([]);
    expect(reached(traced).toSorted()).toEqual(['api-gateway', 'dispatcher', 'ledger', 'webhook-sender']);
  });

  it('let the tools reach the health checks and the admin API', () => {
    const [tools, ...services] = ['tools', 'api-gateway', 'dispatcher', 'ledger', 'webhook-sender'].map(
      (name) => workloadsOf(withAll).find((one) => one.name === name),
    );
    const isFromTools = ({ from = [] }: Rule) =>
      from.some(({ podSelector }) => selects(podSelector, tools?.labels ?? {}));
    for (const service of services) {
      const rules = policiesOf(withAll, service?.labels ?? {}).flatMap(({ ingress = [] }) => ingress);
      const ports = rules
        .filter(isFromTools)
        .flatMap(({ ports: allowed = [] }) => allowed.map(({ port }) => port));
      expect(ports).toEqual(service?.name === 'api-gateway' ? ['metrics', 'admin'] : ['metrics']);
    }
    const urls = (tools?.container.env ?? [])
      .filter(({ name }) => /^HOLDFAST_.*_URLS?$/.test(name))
      .flatMap(({ value = '' }) => value.match(/http:[^,]+/g) ?? []);
    const hosts = ofKind(withAll, 'Service').flatMap(({ metadata, spec }) =>
      (spec as { ports: { port: number }[] }).ports.map(({ port }) => `http://${metadata.name}:${port}`),
    );
    expect(urls).toHaveLength(5);
    expect(hosts).toEqual(expect.arrayContaining(urls));
  });

  it('open the admin port only to the configured sources', () => {
    const gateway = workloadsOf(objects).find(({ name }) => name === 'api-gateway');
    const rules = policiesOf(objects, gateway?.labels ?? {}).flatMap(({ ingress = [] }) => ingress);
    expect(new Set(rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port)))).toEqual(
      new Set(['http']),
    );
    for (const rule of rules) expect(rule.from?.length).toBeGreaterThan(0);
  });

  it('name ports that the pods have', () => {
    const workloads = workloadsOf(withAll);
    for (const { spec } of ofKind(withAll, 'Service')) {
      const { selector, ports } = spec as { selector: Dict; ports: { targetPort: string }[] };
      const selected = workloads.filter(({ labels }) => selects(selector, labels));
      expect(selected).toHaveLength(1);
      const has = selected[0]?.container.ports?.map(({ name }) => name);
      expect(has).toEqual(expect.arrayContaining(ports.map(({ targetPort }) => targetPort)));
    }
    for (const { labels, container } of workloads) {
      const named = policiesOf(withAll, labels)
        .flatMap(({ ingress = [] }) => ingress)
        .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
      expect(container.ports?.map(({ name }) => name) ?? []).toEqual(expect.arrayContaining(named));
    }
  });
});
