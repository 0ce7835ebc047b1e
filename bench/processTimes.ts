const tickMs = 10;

/** What `/proc/<pid>/stat` says; null of nothing. */
export function readTimes(stat: string): { name: string; parent: number; cpuMs: number } | null {
  // The name in brackets may hold anything, brackets too.
  const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  if (start < 0) return null;
  const fields = stat
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
  return { name: stat.slice(start + 1, end), parent, cpuMs: (user + system) * tickMs };
}

/** What a process of the stack is, by its command line; of a Postgres backend also whom it works for. */
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

/** The threads of the bench that were given a name. */
export function threadName(name: string): string | null {
  return name === 'load' || name === 'receiver' ? name : null;
}
