import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = new URL('../../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

type Service = { read_only?: boolean; cap_drop?: string[]; security_opt?: string[]; privileged?: boolean };
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };

/** Images of others that write to their own file system. */
const writing = ['store'];

describe('containers', () => {
  it.each(Object.entries(compose.services))(
    '%s writes nowhere but in its tmp and volumes',
    (name, service) => {
      expect(service.read_only).toBe(!writing.includes(name));
      expect(service.privileged ?? false).toBe(false);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toContain('no-new-privileges:true');
    },
  );
});

describe('SECURITY.md', () => {
  it('names tests that there are', () => {
    const named = [...read('SECURITY.md').matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });
});
