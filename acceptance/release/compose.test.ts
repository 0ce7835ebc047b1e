import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './releaseClone.ts';

type Service = { image: string; build?: { context: string; target: string }; pull_policy?: string };
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
});
