import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayConfig } from '@holdfast/api-gateway/context/config';
import { dispatcherConfig } from '@holdfast/dispatcher/config';
import { ledgerConfig } from '@holdfast/ledger/config';
import { sandboxConfig } from '@holdfast/sandbox/config';
import { webhookSenderConfig } from '@holdfast/webhook-sender/config';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './releaseClone.ts';

type Service = {
  image: string;
  environment?: Record<string, string>;
  build?: { context: string; target: string };
  pull_policy?: string;
};
type Compose = { services: Record<string, Service> };
const read = (file: string) => parse(readFileSync(join(root, file), 'utf8'), { merge: true }) as Compose;

const { services } = read('docker-compose.yml');
const { services: built } = read('docker-compose.override.yml');
const own = Object.entries(services).filter(([, { image }]) => image.startsWith('${IMAGE_PREFIX'));

describe('docker-compose.yml', () => {
  it('alone runs published images of HOLDFAST_VERSION, and builds none', () => {
    expect(own).toHaveLength(9);
    for (const [, { image, build, pull_policy }] of own) {
      expect(image).toMatch(/^\$\{IMAGE_PREFIX:-holdfast\}-[a-z-]+:\$\{HOLDFAST_VERSION:-[^}]+\}$/);
      expect([build, pull_policy]).toEqual([undefined, undefined]);
    }
  });

  it('with docker-compose.override.yml builds each of them from the clone', () => {
    expect(Object.keys(built).toSorted()).toEqual(own.map(([name]) => name).toSorted());
    const targets = readFileSync(join(root, 'Dockerfile'), 'utf8').match(/(?<= AS )\S+/g) ?? [];
    for (const [name, { image, build, pull_policy }] of Object.entries(built)) {
      expect(image).toBe(services[name]?.image.replace(/:\$\{HOLDFAST_VERSION.*/, ''));
      expect(build).toEqual({ context: '.', target: image.split('}-')[1] });
      expect(targets).toContain(build?.target);
      // The operators' commands use what `up` has built.
      expect(pull_policy).toBe(['models', 'holdfast'].includes(name) ? 'missing' : 'build');
    }
  });

  it.each(
    Object.entries({
      'api-gateway': gatewayConfig,
      dispatcher: dispatcherConfig,
      ledger: ledgerConfig,
      'webhook-sender': webhookSenderConfig,
      sandbox: sandboxConfig,
    }),
  )('passes all settings of %s on from .env, but those of its container', (name, config) => {
    const { environment = {} } = services[name] ?? {};
    const ofContainer = [
      'PORT',
      'ADMIN_PORT',
      'METRICS_PORT',
      'LISTEN_HOST',
      'FILE_DISK_PATH',
      'FILE_URL_SECRET',
    ];
    const settings = Object.keys(config).filter((setting) => !ofContainer.includes(setting));
    expect(settings.filter((setting) => !(setting in environment))).toEqual([]);
    const template = readFileSync(join(root, '.env.example'), 'utf8');
    const optional = settings.filter((setting) => environment[setting] === `\${${setting}:-}`);
    expect(optional.filter((setting) => !new RegExp(`^#?${setting}=`, 'm').test(template))).toEqual([]);
  });
});
