import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** The addresses that a hosts file gives a name, in its order; none where there is no such file. */
export type FindInHosts = (hostname: string) => string[];

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
