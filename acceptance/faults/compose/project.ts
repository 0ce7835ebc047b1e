import { type CommandOptions, outputOf, runCommand } from '@holdfast/testkit/command';

export type Container = {
  id: string;
  service: string;
  name: string;
  running: boolean;
  /** `none` without a health check. */
  health: string;
  exitCode: number;
  /** Changes with each start. */
  startedAt: string;
  restarts: number;
};

/** A compose project, controlled with the docker command. */
export type Project = ReturnType<typeof openProject>;

/** Fields of `docker inspect`. */
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

// Compose starts each log line with this, even without a terminal.
const eraseLine = '\u001B[2K';

/** `options` apply to each command; its environment has the settings, including the project's name. */
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
    /** Like `compose`, but returns exit code and output. */
    attempt: (...args: string[]) => runCommand('docker', ['compose', ...args], options),
    /** Every container, or those of one service, in the order of their names. */
    async containers(service?: string): Promise<Container[]> {
      const filters = service ? ['--filter', `label=com.docker.compose.service=${service}`] : [];
      const ids = lines(await docker('ps', '-aq', '--filter', label, ...filters));
      if (ids.length === 0) return [];
      const found = (JSON.parse(await docker('inspect', ...ids)) as Inspected[]).map(containerOf);
      return found.toSorted((one, other) => one.name.localeCompare(other.name));
    },
    /** The last log lines of each container. */
    lastLogs: async () => (await compose('logs', '--no-color', '--tail', '25')).replaceAll(eraseLine, ''),
    /** The project's containers, volumes, networks and images on this machine. */
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
