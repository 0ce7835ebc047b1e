import { untilWell } from './health.ts';
import type { Container, Project } from './project.ts';

/** Something that goes wrong; resolves once everything is well again. */
export type Fault = {
  name: string;
  /** Runs that are under way at the provider are gone. */
  losesRuns?: boolean;
  happen(): Promise<void>;
};

const recoverWithinS = 90;

/** kill -9 of the process below the container's init; the restart policy brings it back. */
function killProcess(project: Project, { id, name, service, startedAt }: Container): Fault {
  return {
    name: `kill -9 of ${name}`,
    losesRuns: service === 'sandbox',
    async happen() {
      // The shell may be gone with the container, before it can say that all went well.
      await project.docker('exec', id, 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)').catch(() => '');
      await untilWell(project, recoverWithinS, (containers) =>
        containers.some((one) => one.id === id && one.startedAt !== startedAt),
      );
    },
  };
}

/** kill -9 of a whole container. Docker takes that for a wish and leaves it dead, so it is started here. */
function killContainer(project: Project, service: string): Fault {
  return {
    name: `kill -9 of the ${service}, and its start`,
    async happen() {
      const [container] = await project.containers(service);
      await project.docker('kill', container?.id ?? service);
      await project.docker('start', container?.id ?? service);
      await untilWell(project, recoverWithinS);
    },
  };
}

/** Redis dies and comes back as a new container on a new volume. */
function loseRedis(project: Project): Fault {
  return {
    name: 'redis is lost with its data, and made anew',
    async happen() {
      const [container] = await project.containers('redis');
      await project.docker('kill', container?.id ?? 'redis');
      await project.compose('rm', '--force', '--volumes', 'redis');
      await project.docker('volume', 'rm', `${project.name}_redis`);
      await project.compose('up', '--detach', '--no-deps', '--no-build', 'redis');
      await untilWell(project, recoverWithinS);
    },
  };
}

const ownImages = ['dispatcher', 'api-gateway', 'ledger', 'webhook-sender', 'sandbox'];

/** Each container once: those of the services, the proxy, and the servers that hold data. */
export async function allFaults(project: Project): Promise<Fault[]> {
  const containers = await project.containers();
  const ofServices = ownImages.map((service) => containers.filter((one) => one.service === service));
  // One copy of each after the other, rather than all copies of one in a row.
  const most = Math.max(...ofServices.map((copies) => copies.length));
  const rounds = Array.from({ length: most }, (_, round) =>
    ofServices.flatMap((copies) => copies[round] ?? []),
  );
  return [
    ...rounds.flat().map((container) => killProcess(project, container)),
    killContainer(project, 'proxy'),
    loseRedis(project),
    killContainer(project, 'store'),
    killContainer(project, 'postgres'),
  ];
}
