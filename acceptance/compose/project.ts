import { type CommandOptions, outputOf, runCommand } from '@holdfast/testkit/command';

export type Container = {
  id: string;
  service: string;
  name: string;
  running: boolean;
  /** `none`: it has no health check. */
  health: string;
  exitCode: number;
  /** Changes with each start. */
  startedAt: string;
  restarts: number;
};

/** A compose project, seen through the docker command. */
export type Project = ReturnType<typeof openProject>;

/** Of what `docker inspect` tells. */
type Inspected = {
  Id: string;
  Name: string;
  RestartCount: number;
  State: { Running: boolean; ExitCode: number; StartedAt: string; Health?: { Status: string } };
  Config: { Labels: Record<string, string> };
};

function containerOf({ Id, Name, RestartCount, State, Config }: Inspected): Container {
  return {
    id: Id,
    service: Config.Labels['com.docker.compose.service'] ?? '',
    name: Name.replace('/', ''),
    running: State.Running,
    health: State.Health?.Status ?? 'none',
    exitCode: State.ExitCode,
    startedAt: State.StartedAt,
    restarts: RestartCount,
  };
}

// What compose begins each line of its logs with, even when no terminal reads them.
const eraseLine = '\u001B[2K';

/** `options` are those of each command; its environment holds the settings, the project's name among them. */
export function openProject(name: string, options: CommandOptions & { cwd: string }) {
  const docker = (...args: string[]) => outputOf('docker', args, options);
  const compose = (...args: string[]) => docker('compose', ...args);
  const label = `label=com.docker.compose.project=${name}`;
  const lines = (text: string) => text.split('\n').filter(Boolean);
  return {
    name,
    folder: options.cwd,
    docker,
    compose,
    /** As `compose`, but answers what became of it. */
    attempt: (...args: string[]) => runCommand('docker', ['compose', ...args], options),
    /** Every container, of one service if given, in the order of their names. */
    async containers(service?: string): Promise<Container[]> {
      const filters = service ? ['--filter', `label=com.docker.compose.service=${service}`] : [];
      const ids = lines(await docker('ps', '-aq', '--filter', label, ...filters));
      if (ids.length === 0) return [];
      const found = (JSON.parse(await docker('inspect', ...ids)) as Inspected[]).map(containerOf);
      return found.toSorted((one, other) => one.name.localeCompare(other.name));
    },
    /** The last lines that each container said. */
    lastLogs: async () => (await compose('logs', '--no-color', '--tail', '25')).replaceAll(eraseLine, ''),
    /** What of it is on this machine: containers, volumes, networks, images. */
    async leftovers(): Promise<string[]> {
      const kinds = [
        ['ps', '-a', '--format', '{{.Names}}', '--filter', label],
        ['volume', 'ls', '-q', '--filter', label],
        ['network', 'ls', '--format', '{{.Name}}', '--filter', label],
        ['images', '--format', '{{.Repository}}', '--filter', `reference=${name}-*`],
      ];
      return (await Promise.all(kinds.map((args) => docker(...args)))).flatMap(lines);
    },
  };
}
