import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { roleOf } from '@holdfast/db/roles/rights';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readYaml, root } from '../observability/files.ts';

type Container = {
  profiles?: string[];
  image: string;
  volumes?: string[];
  networks: string[];
  ports?: string[];
  environment?: Record<string, string>;
};
type Receiver = { otlp: { protocols: { http: { endpoint: string } } } };

const { services, volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as {
  services: Record<string, Container>;
  volumes: Record<string, unknown>;
};
const { collector, tempo, grafana } = services;

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

describe('tracing in docker-compose.yml', () => {
  it('passes the settings to every service, and sets no endpoint by default', () => {
    for (const name of Object.keys(roleOf))
      for (const variable of Object.keys(tracingConfig))
        expect(services[name]?.environment?.[variable]).toBe(`\${${variable}:-}`);
  });

  it('has a collector at the endpoint of .env.example, on a network of every service', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8');
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

  it('runs exact versions with existing files, and publishes no port', () => {
    for (const one of [collector, tempo]) {
      expect(one?.profiles).toEqual(['observability']);
      expect(one?.image).toMatch(/^[\w/-]+:v?\d+\.\d+\.\d+$/);
      expect(one?.ports).toBeUndefined();
      expect(one?.networks).not.toContain('edge');
      for (const source of one?.volumes?.map((volume) => volume.split(':')[0] ?? '') ?? [])
        expect(source.startsWith('.') ? existsSync(join(root, source)) : source in volumes).toBe(true);
    }
  });

  it('lets Tempo write into its volume', () => {
    const place = tempo?.volumes?.find((volume) => volume.startsWith('tempo:'))?.split(':')[1] ?? 'nowhere';
    const { wal, local } = tempoSettings.storage.trace;
    for (const { path } of [wal, local]) expect(path.startsWith(`${place}/`)).toBe(true);
  });
});
