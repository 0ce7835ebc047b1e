import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { roleOf } from '@holdfast/db/roles/rights';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readYaml, root } from './files.ts';

type Container = {
  image: string;
  profiles: string[];
  volumes: string[];
  networks: string[];
  ports?: string[];
  environment?: Record<string, string>;
};
type Receiver = { otlp: { protocols: { http: { endpoint: string } } } };

const { services, volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, Container>; volumes: Record<string, unknown> };
const { prometheus, grafana, collector, tempo } = services;
const example = readFileSync(join(root, '.env.example'), 'utf8');

const collectorSettings = readYaml('collector.yml') as {
  receivers: Receiver;
  exporters: { otlphttp: { endpoint: string } };
};
const tempoSettings = readYaml('tempo.yml') as {
  server: { http_listen_port: number };
  distributor: { receivers: Receiver };
  storage: { trace: { wal: { path: string }; local: { path: string } } };
};
const portOf = ({ otlp }: Receiver) => otlp.protocols.http.endpoint.split(':')[1];

describe('the profile observability', () => {
  it('scrapes every service at the port of its image', () => {
    const { scrape_configs: jobs } = readYaml('prometheus.yml') as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const [found] = jobs.flatMap((job) => job.dns_sd_configs);
    expect(found?.names.toSorted()).toEqual(Object.keys(roleOf).toSorted());
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`METRICS_PORT=${found?.port}`);
    for (const name of found?.names ?? []) expect(services[name]?.networks).toContain('back');
    expect(prometheus?.networks).toContain('back');
  });

  it('runs images of exact versions, with persistent data and existing files', () => {
    for (const container of [prometheus, grafana, collector, tempo]) {
      expect(container?.profiles).toEqual(['observability']);
      expect(container?.image).toMatch(/^[\w/-]+:v?\d+\.\d+\.\d+$/);
      const sources = container?.volumes.map((volume) => volume.split(':')[0] ?? '') ?? [];
      for (const source of sources) {
        expect(source.startsWith('.') ? existsSync(join(root, source)) : source in volumes).toBe(true);
      }
    }
  });

  it('lets Prometheus reach an Alertmanager elsewhere', () => {
    expect(prometheus?.networks).toContain('outside');
  });

  it('protects Grafana with a password, and publishes it only on this machine', () => {
    for (const container of [prometheus, collector, tempo]) {
      expect(container?.ports).toBeUndefined();
      expect(container?.networks).not.toContain('edge');
    }
    expect(grafana?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    expect(grafana?.environment).toMatchObject({
      GF_SECURITY_ADMIN_PASSWORD: expect.stringMatching(/^\$\{GRAFANA_ADMIN_PASSWORD:\?/),
      GF_AUTH_ANONYMOUS_ENABLED: 'false',
    });
    expect(example).toMatch(/^GRAFANA_ADMIN_PASSWORD=GENERATE_HEX_\d+$/m);
  });

  it('provisions every dashboard with the one data source', () => {
    const { datasources } = readYaml('grafana/provisioning/datasources/prometheus.yml') as {
      datasources: { type: string; isDefault: boolean; url: string }[];
    };
    expect(datasources).toEqual([expect.objectContaining({ type: 'prometheus', isDefault: true })]);
    expect(new URL(datasources[0]?.url ?? '').hostname).toBe('prometheus');
    const { providers } = readYaml('grafana/provisioning/dashboards/holdfast.yml') as {
      providers: { options: { path: string } }[];
    };
    const folder = providers[0]?.options.path ?? '';
    expect(grafana?.volumes).toContain(`./deploy/observability/grafana/dashboards:${folder}:ro`);
    expect(grafana?.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']).toMatch(folder);
  });
});

describe('tracing in docker-compose.yml', () => {
  it('passes the settings to every service, and sets no endpoint by default', () => {
    for (const name of Object.keys(roleOf))
      for (const variable of Object.keys(tracingConfig))
        expect(services[name]?.environment?.[variable]).toBe(`\${${variable}:-}`);
  });

  it('has a collector at the endpoint of .env.example, on a network of every service', () => {
    const port = portOf(collectorSettings.receivers);
    expect(example).toMatch(new RegExp(`^#OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:${port}$`, 'm'));
    for (const name of Object.keys(roleOf)) expect(services[name]?.networks).toContain('back');
    expect(collector?.networks).toContain('back');
  });

  it('forwards spans from the collector to Tempo, where Grafana reads them', () => {
    const port = portOf(tempoSettings.distributor.receivers);
    expect(collectorSettings.exporters.otlphttp.endpoint).toBe(`http://tempo:${port}`);
    const { datasources } = readYaml('grafana/provisioning/datasources/tempo.yml') as {
      datasources: { url: string; isDefault?: boolean }[];
    };
    expect(datasources).toHaveLength(1);
    expect(datasources[0]?.url).toBe(`http://tempo:${tempoSettings.server.http_listen_port}`);
    expect(datasources[0]?.isDefault).toBeUndefined();
    for (const one of [collector, tempo, grafana]) expect(one?.networks).toContain('watch');
  });

  it('lets Tempo write into its volume', () => {
    const place = tempo?.volumes?.find((volume) => volume.startsWith('tempo:'))?.split(':')[1] ?? 'nowhere';
    const { wal, local } = tempoSettings.storage.trace;
    for (const { path } of [wal, local]) expect(path.startsWith(`${place}/`)).toBe(true);
  });
});
