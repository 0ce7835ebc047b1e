import { ADDRCONFIG, type LookupAddress, type LookupOptions, lookup, Resolver } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The addresses that a hosts file gives a name, in its order; none where there is no such file. */
type FindInHosts = (hostname: string) => string[];

/** Read again when it has changed: Docker and people write to it while we run. */
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

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
type Family = 4 | 6;

/** So that one who writes the name's zone can't have us knock at thousands of doors. */
const maxAddresses = 16;

/**
 * Looks names up without the system's `getaddrinfo`, which has a thread for each question and two threads in all:
 * two names whose servers never answer would hold up every other. The hosts file goes first, then the servers of
 * resolv.conf are asked, as many names at a time as there are. Names without a dot, of `.local` and of `.localhost`
 * are nobody's to buy, and only the system may know them (search domains, mDNS): it is asked about those.
 */
export function createLookUp({
  findInHosts = createHostsFile(),
  servers,
  // Well inside the time of a post, so that it is told that the name was at fault.
  maxMs = 10_000,
  // Of the second family, once the first is known.
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
    // One for each question: it reads resolv.conf as it is now, asks from a port of its own and can be cancelled.
    const resolver = new Resolver({ timeout: 2000, tries: 3 });
    if (servers) resolver.setServers(servers);
    const isV4Alone = families.length > 1 && ((options.hints ?? 0) & ADDRCONFIG) !== 0 && !hasV6();
    ask(resolver, hostname, isV4Alone ? [4] : families, { maxMs, maxSecondMs }, callback);
  };
}

/** Whether this machine has an IPv6 address that leads out of it; looked at every now and then. */
function createV6Check(): () => boolean {
  let answer = false;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - lookedAtMs < 10_000) return answer;
    lookedAtMs = performance.now();
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    answer = all.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe80/i.test(address),
    );
    return answer;
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

/** Calls back once, when each family is answered for; IPv4 first, which works from more places. */
function ask(
  resolver: Resolver,
  hostname: string,
  families: Family[],
  { maxMs, maxSecondMs }: { maxMs: number; maxSecondMs: number },
  callback: Answered,
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

/** `ENODATA`: the name is there, but has no address of that family. */
function failure(hostname: string, errors: NodeJS.ErrnoException[]): NodeJS.ErrnoException {
  const code = errors.find((error) => error.code !== 'ENODATA')?.code ?? 'ENODATA';
  const said = code === 'ECANCELLED' ? 'ETIMEOUT' : code;
  const error = new Error(`${hostname} has no address (${said})`);
  return Object.assign(error, { code: said, syscall: 'getaddrinfo', hostname });
}

type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Every address of a name that may be dialled, in the order to try them. */
export type Resolve = (hostname: string, options: LookupOptions, callback: Callback) => void;

const waiting = new Map<string, Callback[]>();
const lookUp = createLookUp();

/** Posts to one host that wait at the same time share one question. */
export const resolveAll: Resolve = (hostname, options, callback) => {
  const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
  const sharing = waiting.get(key);
  if (sharing) {
    sharing.push(callback);
    return;
  }
  const callbacks = [callback];
  waiting.set(key, callbacks);
  lookUp(hostname, options, (error, addresses) => {
    waiting.delete(key);
    for (const answer of callbacks) answer(error, addresses);
  });
};
