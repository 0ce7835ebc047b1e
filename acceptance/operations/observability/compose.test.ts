import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { roleOf } from '@holdfast/db/roles/rights';
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
const { services, volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, Container>; volumes: Record<string, unknown> };
const { prometheus, grafana } = services;

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
    for (const container of [prometheus, grafana]) {
      expect(container?.profiles).toEqual(['observability']);
      expect(container?.image).toMatch(/^[\w/]+:v?\d+\.\d+\.\d+$/);
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
    expect(prometheus?.ports).toBeUndefined();
    expect(grafana?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    expect(grafana?.environment).toMatchObject({
      GF_SECURITY_ADMIN_PASSWORD: expect.stringMatching(/^\$\{GRAFANA_ADMIN_PASSWORD:\?/),
      GF_AUTH_ANONYMOUS_ENABLED: 'false',
    });
    const example = readFileSync(join(root, '.env.example'), 'utf8');
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
