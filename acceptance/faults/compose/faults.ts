import { untilHealthy } from './health.ts';
import type { Container, Project } from './project.ts';

/** A fault; `happen` resolves once every container is healthy again. */
export type Fault = {
  name: string;
  /** The runs in progress at the provider are lost. */
  losesRuns?: boolean;
  happen(): Promise<void>;
};

const recoverWithinS = 90;

/** Sends `kill -9` to the process below the container's init; the restart policy restarts it. */
function killProcess(project: Project, { id, name, service, startedAt }: Container): Fault {
  return {
    name: `kill -9 of ${name}`,
    losesRuns: service === 'sandbox',
    async happen() {
      // The shell may die with the container before it can report success.
      await project.docker('exec', id, 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)').catch(() => '');
      await untilHealthy(project, recoverWithinS, (containers) =>
        containers.some((one) => one.id === id && one.startedAt !== startedAt),
      );
    },
  };
}

/** Sends `kill -9` to a whole container. Docker treats that as intended and does not restart it, so this does. */
function killContainer(project: Project, service: string): Fault {
  return {
    name: `kill -9 and start of the ${service}`,
    async happen() {
      const [container] = await project.containers(service);
      await project.docker('kill', container?.id ?? service);
      await project.docker('start', container?.id ?? service);
      await untilHealthy(project, recoverWithinS);
    },
  };
}

/** As when its machine fails: it leaves the network before it dies, so its connections are not closed. */
function loseMachine(project: Project, service: string, network: string): Fault {
  return {
    name: `the machine of the ${service} is lost`,
    losesRuns: true,
    async happen() {
      const [container] = await project.containers(service);
      const [id, name] = [container?.id ?? service, `${project.name}_${network}`];
      await project.docker('network', 'disconnect', '--force', name, id);
      await project.docker('kill', id);
      await project.docker('network', 'connect', '--alias', service, name, id);
      await project.docker('start', id);
      await untilHealthy(project, recoverWithinS);
    },
  };
}

/** Kills Redis and starts a new container on a new volume. */
function loseRedis(project: Project): Fault {
  return {
    name: 'redis loses its data and is recreated',
    async happen() {
      const [container] = await project.containers('redis');
      await project.docker('kill', container?.id ?? 'redis');
      await project.compose('rm', '--force', '--volumes', 'redis');
      await project.docker('volume', 'rm', `${project.name}_redis`);
      await project.compose('up', '--detach', '--no-deps', '--no-build', 'redis');
      await untilHealthy(project, recoverWithinS);
    },
  };
}

const ownImages = ['dispatcher', 'api-gateway', 'ledger', 'webhook-sender', 'sandbox'];

/** One fault for each container: services, proxy, and the servers that hold data. */
export async function allFaults(project: Project): Promise<Fault[]> {
  const containers = await project.containers();
  const ofServices = ownImages.map((service) => containers.filter((one) => one.service === service));
  // Alternates between services, rather than killing all instances of one in a row.
  const roundCount = Math.max(...ofServices.map((instances) => instances.length));
  const rounds = Array.from({ length: roundCount }, (_, round) =>
    ofServices.flatMap((instances) => instances[round] ?? []),
  );
  return [
    ...rounds.flat().map((container) => killProcess(project, container)),
    loseMachine(project, 'sandbox', 'models'),
    killContainer(project, 'proxy'),
    loseRedis(project),
    killContainer(project, 'store'),
    killContainer(project, 'postgres'),
  ];
}
