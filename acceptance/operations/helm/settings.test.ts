import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gatewayConfig } from '@holdfast/api-gateway/context/config';
import { dispatcherConfig } from '@holdfast/dispatcher/config';
import { fileStoreProblems } from '@holdfast/files/config';
import { parseConfig } from '@holdfast/kit/config';
import { databaseServers, databaseUrlProblems } from '@holdfast/kit/databaseAddress';
import { ledgerConfig } from '@holdfast/ledger/config';
import { readConfig as readSetupConfig } from '@holdfast/setup/config';
import { webhookSenderConfig } from '@holdfast/webhook-sender/config';
import { describe, expect, it } from '@jest/globals';
import { type Container, ofKind, workloadsOf } from './pods.ts';
import { type KubernetesObject, renderChart, valueSets, valuesOf } from './renderChart.ts';

const root = resolve(import.meta.dirname, '../../..');
const documented = readFileSync(resolve(root, 'docs/configuration.md'), 'utf8');
/** Variables that only the command `holdfast` reads. */
const ofTheCommand = ['HOLDFAST_ADMIN_URL', 'HOLDFAST_HEALTH_URLS', 'ADMIN_TOKEN', 'REDIS_URL'];

const secrets: Record<string, string> = {
  ADMIN_TOKEN: 'a'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  REDIS_URL: 'redis://:password@redis:6379/0',
  EGRESS_PROXY_URL: 'http://proxy:3128',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
  DEMO_KEY_SECRET: '0'.repeat(64),
  ALERT_WEBHOOK_URLS: 'https://ops.example.com/alerts',
  ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  SMTP_URL: 'smtp://user:password@smtp.example.com:587',
};

/** The environment of a container, with a placeholder for every secret. */
function environmentOf({ env }: Container): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const own = valueFrom ? (secrets[name] ?? `secret-${name}`) : (value ?? '');
    found[name] = own.replace(/\$\((\w+)\)/g, (_whole, other: string) => {
      if (found[other] === undefined) throw new Error(`${other} does not stand before ${name}`);
      return found[other];
    });
  }
  return found;
}

/** The variables that each workload reads from a Secret. */
const readers: Record<string, string[]> = {
  'api-gateway': [
    'ADMIN_TOKEN',
    'ENCRYPTION_KEYS',
    'GATEWAY_DB_PASSWORD',
    'REDIS_URL',
    'S3_ACCESS_KEY',
    'S3_SECRET_KEY',
  ],
  dispatcher: ['DISPATCHER_DB_PASSWORD', 'REDIS_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
  ledger: ['LEDGER_DB_PASSWORD', 'REDIS_URL'],
  'webhook-sender': ['ENCRYPTION_KEYS', 'REDIS_URL', 'WEBHOOK_SENDER_DB_PASSWORD'],
  migrate: [
    'DISPATCHER_DB_PASSWORD',
    'ENCRYPTION_KEYS',
    'GATEWAY_DB_PASSWORD',
    'LEDGER_DB_PASSWORD',
    'OWNER_DB_PASSWORD',
    'S3_ACCESS_KEY',
    'S3_SECRET_KEY',
    'WEBHOOK_SENDER_DB_PASSWORD',
  ],
};

describe.each(valueSets)('the settings with the values %s', (name) => {
  const objects = renderChart(valuesOf(name));
  const workloads = workloadsOf(objects);

  it('are in docs/configuration.md, and set once each', () => {
    for (const { container } of workloads) {
      const names = container.env.map((variable) => variable.name);
      expect(new Set(names).size).toBe(names.length);
      const texts = container.env.map(({ value = '' }) => value).join(' ');
      const unknown = names.filter(
        (one) =>
          !documented.includes(`\`${one}\``) &&
          !ofTheCommand.includes(one) &&
          !texts.includes(`$(${one})`) &&
          !one.endsWith('_BASE_URL'),
      );
      expect(unknown).toEqual([]);
    }
  });

  it.each([
    ['api-gateway', gatewayConfig],
    ['dispatcher', dispatcherConfig],
    ['ledger', ledgerConfig],
    ['webhook-sender', webhookSenderConfig],
  ])('are complete and valid for %s', (service, shape) => {
    const container = workloads.find((one) => one.name === service)?.container;
    if (!container) throw new Error('there is no such workload');
    const environment = environmentOf(container);
    const config = parseConfig(shape, environment, 'FILE_STORE' in shape ? [fileStoreProblems] : []);
    const others = Object.keys(environment).filter(
      (one) => !(one in shape) && !/_DB_PASSWORD$|_BASE_URL$/.test(one),
    );
    expect(others).toEqual([]);
    expect(config).toMatchObject({ METRICS_PORT: 9464, DATABASE_POOL_SIZE: 10 });
    expect(new URL(config['DATABASE_URL']).username).toBe(
      `holdfast_${service.replace('api-', '').replace('-', '_')}`,
    );
  });

  it('are complete and valid for migrate and the tools', () => {
    for (const { container } of workloads.filter((one) => ['migrate', 'tools'].includes(one.name))) {
      const config = readSetupConfig(environmentOf(container));
      expect(config.rolePasswords).toMatchObject({ holdfast_ledger: 'secret-LEDGER_DB_PASSWORD' });
      expect(config.files.FILE_STORE).toBe('s3');
      expect(config.demo !== null).toBe(name === 'everything');
    }
  });

  it('give each workload only its own secrets', () => {
    for (const { name: which, container } of workloads) {
      const known = [
        ...(readers[which === 'tools' ? 'migrate' : which] ?? []),
        ...(which === 'tools' ? ['ADMIN_TOKEN', 'REDIS_URL'] : []),
      ];
      const more = [
        'ALERT_WEBHOOK_SECRET',
        'ALERT_WEBHOOK_URLS',
        'CONSOLE_OIDC_CLIENT_SECRET',
        'DEMO_KEY_SECRET',
        'EGRESS_PROXY_URL',
        'OTEL_EXPORTER_OTLP_HEADERS',
        'SMTP_URL',
      ];
      const demo = name === 'everything' ? more : [];
      const read = container.env.filter(({ valueFrom }) => valueFrom).map((variable) => variable.name);
      expect(read.filter((one) => !demo.includes(one)).toSorted()).toEqual(known.toSorted());
    }
  });

  it("give providers' keys only to the dispatcher, migrate and the tools", () => {
    const holders = workloads.filter(({ container }) =>
      JSON.stringify(container).includes('holdfast-providers'),
    );
    const expected = name === 'everything' ? ['dispatcher', 'migrate', 'tools'] : [];
    expect(holders.map((one) => one.name).toSorted()).toEqual(expected);
  });

  it('contain no plain secret, and no Secret or ConfigMap made by the chart has one', () => {
    expect(ofKind(objects, 'Secret')).toEqual([]);
    for (const { metadata } of ofKind(objects, 'ConfigMap')) expect(metadata.name).toBe('hf-holdfast-models');
    for (const { container } of workloads) {
      const open = container.env.filter(({ value }) => value !== undefined);
      const secret =
        /_API_KEY$|TOKEN$|PASSWORD$|_SECRET$|_ACCESS_KEY$|_SECRET_KEY$|^ENCRYPTION_KEYS$|^REDIS_URL$/;
      expect(open.map((variable) => variable.name).filter((one) => secret.test(one))).toEqual([]);
    }
  });
});

describe('the settings for all services', () => {
  it('also apply to migrate and the tools, as the style of the store must', () => {
    const objects = renderChart({
      ...valuesOf('minimal'),
      env: { S3_STYLE: 'virtual' },
      tools: { enabled: true },
    });
    const style = { name: 'S3_STYLE', value: 'virtual' };
    for (const name of ['api-gateway', 'dispatcher', 'migrate', 'tools'])
      expect(workloadsOf(objects).find((one) => one.name === name)?.container.env).toContainEqual(style);
  });
});

describe('several PostgreSQL servers', () => {
  const withPostgres = (postgres: Record<string, unknown>) =>
    renderChart({ ...valuesOf('minimal'), postgres, tools: { enabled: true } });
  const urlOf = (name: string, objects: KubernetesObject[]) =>
    workloadsOf(objects)
      .find((one) => one.name === name)
      ?.container.env.find((one) => one.name === 'DATABASE_URL')?.value;

  it('are all in the URL of each workload, with the port', () => {
    const chart = withPostgres({ host: 'pg1.example,10.0.0.2,[fd00::3]', port: 5433 });
    const servers = '@pg1.example:5433,10.0.0.2:5433,[fd00::3]:5433/holdfast';
    for (const name of ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'migrate', 'tools'])
      expect(urlOf(name, chart)).toContain(servers);
    expect(databaseServers(urlOf('ledger', chart) ?? '')).toHaveLength(3);
    expect(databaseUrlProblems(urlOf('ledger', chart) ?? '')).toEqual([]);
  });

  it('can be for migrate alone, while the services use a pooler', () => {
    const chart = withPostgres({ host: 'pooler', migrate: { host: 'pg1,pg2', port: 5440 } });
    expect(urlOf('ledger', chart)).toContain('@pooler:5432/');
    expect(urlOf('migrate', chart)).toContain('@pg1:5440,pg2:5440/');
  });

  it.each(['pg1:5432,pg2:5432', 'pg1,', 'pg1, pg2', 'user@pg1'])('are refused as %s', (host) => {
    expect(() => withPostgres({ host })).toThrow('postgres/host');
  });
});

describe('the settings for one service', () => {
  it("override those for all services, which override the chart's own", () => {
    const objects = renderChart(valuesOf('everything'));
    const logLevels = workloadsOf(objects)
      .filter(({ name }) => name !== 'sandbox')
      .map(({ name, container }) => [name, container.env.find((one) => one.name === 'LOG_LEVEL')?.value]);
    expect(Object.fromEntries(logLevels)).toMatchObject({ dispatcher: 'trace', ledger: 'debug' });
  });
});
