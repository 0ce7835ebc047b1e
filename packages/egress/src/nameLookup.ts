import { ADDRCONFIG, type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

type FindInHosts = (hostname: string) => string[];

export function createHostsFile(path = '/etc/hosts'): FindInHosts {
  let names = new Map<string, string[]>();
  let version = '';
  return (hostname) => {
    const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (`${mtimeMs} ${size}` !== version) {
      version = `${mtimeMs} ${size}`;
      names = size === 0 ? new Map() : parseHosts(readFileSync(path, 'utf8'));
    }
    return names.get(hostname.toLowerCase().replace(/\.$/, '')) ?? [];
  };
}

function parseHosts(text: string): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const addresses = byName.get(name.toLowerCase());
      if (addresses === undefined) byName.set(name.toLowerCase(), [address]);
      else addresses.push(address);
    }
  }
  return byName;
}

type Family = 4 | 6;

/** Otherwise the owner of a zone could make us connect to thousands of addresses. */
const maxAddresses = 16;

// `getaddrinfo` has two threads, which two dead name servers would block: only for local names, which no tenant can own.
export function createLookUp({
  findInHosts = createHostsFile(),
  servers,
  // Less than the timeout of a post, so that its error is about the name.
  maxMs = 10_000,
  maxSecondMs = 2000,
  hasV6 = createV6Check(),
}: {
  findInHosts?: FindInHosts;
  servers?: string[];
  maxMs?: number;
  maxSecondMs?: number;
  hasV6?: () => boolean;
} = {}): Resolve {
  return (hostname, options, callback) => {
    if (isSystemName(hostname)) {
      lookup(hostname, { ...options, all: true }, (error, found) => callback(error, found ?? []));
      return;
    }
    const families = familiesOf(options.family);
    const listed = findInHosts(hostname).map((address) => ({ address, family: isIP(address) }));
    const fitting = listed.filter(({ family }) => families.some((wanted) => wanted === family));
    if (fitting.length > 0) {
      process.nextTick(callback, null, fitting);
      return;
    }
    // One per lookup: it reads the current resolv.conf, has its own port and can be cancelled.
    const resolver = new Resolver({ timeout: 2000, tries: 3 });
    if (servers) resolver.setServers(servers);
    const isV4Alone = families.length > 1 && ((options.hints ?? 0) & ADDRCONFIG) !== 0 && !hasV6();
    query(resolver, hostname, isV4Alone ? [4] : families, { maxMs, maxSecondMs }, callback);
  };
}

function createV6Check(): () => boolean {
  let hasV6 = false;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - lookedAtMs < 10_000) return hasV6;
    lookedAtMs = performance.now();
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    hasV6 = all.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe80/i.test(address),
    );
    return hasV6;
  };
}

function isSystemName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return !name.includes('.') || name.endsWith('.local') || name.endsWith('.localhost');
}

function familiesOf(family: number | string | undefined): Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  return family === 6 || family === 'IPv6' ? [6] : [4, 6];
}

/** Calls back once, when both families are resolved, with IPv4 first. */
function query(
  resolver: Resolver,
  hostname: string,
  families: Family[],
  { maxMs, maxSecondMs }: { maxMs: number; maxSecondMs: number },
  callback: Callback,
): void {
  const found: LookupAddress[][] = families.map(() => []);
  const errors: NodeJS.ErrnoException[] = [];
  let open = families.length;
  let timer = setTimeout(() => resolver.cancel(), maxMs);
  families.forEach((family, index) => {
    resolver[family === 4 ? 'resolve4' : 'resolve6'](hostname, (error, addresses) => {
      open -= 1;
      clearTimeout(timer);
      if (error) errors.push(error);
      else found[index] = addresses.map((address) => ({ address, family }));
      const all = found.flat();
      if (open === 0 && all.length > 0) callback(null, all.slice(0, maxAddresses));
      else if (open === 0) callback(failure(hostname, errors), []);
      else timer = setTimeout(() => resolver.cancel(), all.length > 0 ? maxSecondMs : maxMs);
    });
  });
}

function failure(hostname: string, errors: NodeJS.ErrnoException[]): NodeJS.ErrnoException {
  const code = errors.find((error) => error.code !== 'ENODATA')?.code ?? 'ENODATA';
  const shown = code === 'ECANCELLED' ? 'ETIMEOUT' : code;
  const error = new Error(`${hostname} has no address (${shown})`);
  return Object.assign(error, { code: shown, syscall: 'getaddrinfo', hostname });
}

type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export type Resolve = (hostname: string, options: LookupOptions, callback: Callback) => void;

const pending = new Map<string, Callback[]>();
const lookUp = createLookUp();

export const resolveAll: Resolve = (hostname, options, callback) => {
  const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
  const sharing = pending.get(key);
  if (sharing) {
    sharing.push(callback);
    return;
  }
  const callbacks = [callback];
  pending.set(key, callbacks);
  lookUp(hostname, options, (error, addresses) => {
    pending.delete(key);
    for (const each of callbacks) each(error, addresses);
  });
};
