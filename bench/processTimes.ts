const tickMs = 10;

export type ProcessTimes = {
  name: string;
  parent: number;
  cpuMs: number;
  endedMs: number;
};

export function readTimes(stat: string): ProcessTimes | null {
  // The name in brackets may contain brackets.
  const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  if (start < 0) return null;
  const fields = stat
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const [parent = 0] = fields.slice(1);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
  const name = stat.slice(start + 1, end);
  return { name, parent, cpuMs: (user + system) * tickMs, endedMs: (endedUser + endedSystem) * tickMs };
}

/** For a PostgreSQL backend, also the service it works for. */
export function processName(command: string): { name: string; part?: string } {
  const service = /services\/([\w-]+)\/src/.exec(command)?.[1];
  if (service !== undefined) return { name: service };
  const backend = /^postgres: holdfast_(\w+) /.exec(command)?.[1];
  if (backend !== undefined) return { name: 'postgres', part: backend.replaceAll('_', '-') };
  if (command.startsWith('postgres: holdfast ')) return { name: 'postgres', part: 'owner' };
  if (command.startsWith('postgres: ')) return { name: 'postgres', part: 'itself' };
  const server = ['postgres', 'redis'].find((name) => command.includes(name));
  return server === undefined ? { name: 'other' } : { name: server };
}

export function threadName(name: string): string | null {
  return name === 'load' || name === 'receiver' ? name : null;
}
