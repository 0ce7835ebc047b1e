import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = new URL('../..', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

type Service = {
  build?: { target: string };
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  privileged?: boolean;
};
type Compose = { services: Record<string, Service> };
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const { services: built } = parse(read('docker-compose.override.yml')) as Compose;

/** Who the processes of each target of the Dockerfile are. */
const users = new Map<string, string>();
let here = '';
for (const line of read('Dockerfile').split('\n')) {
  const [, base = '', target] = /^FROM (\S+) AS (\S+)/.exec(line) ?? [];
  if (target !== undefined) {
    here = target;
    users.set(here, users.get(base) ?? 'root');
  }
  const [, user] = /^USER (\S+)/.exec(line) ?? [];
  if (user !== undefined) users.set(here, user);
}

/** PostgreSQL starts as root to own its volume; Tempo is root without capabilities, for its volume belongs to it. */
const asRoot = ['postgres', 'tempo'];

describe('containers', () => {
  it.each(Object.entries(compose.services))(
    'run %s as a user other than root, which writes only to tmp and its volumes',
    (name, service) => {
      expect(service.read_only).toBe(true);
      expect(service.privileged ?? false).toBe(false);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toContain('no-new-privileges:true');
      const user = service.user ?? users.get(built[name]?.build?.target ?? '');
      if (!asRoot.includes(name)) expect(user).toMatch(/^[1-9]\d*:\d+$/);
    },
  );
});

describe('SECURITY.md', () => {
  it('names existing tests only', () => {
    const named = [...read('SECURITY.md').matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });
});
