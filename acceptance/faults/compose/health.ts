import { setTimeout as delay } from 'node:timers/promises';
import type { Container, Project } from './project.ts';

const isHealthy = ({ running, health, service, exitCode }: Container) =>
  service === 'migrate' ? !running && exitCode === 0 : running && (health === 'healthy' || health === 'none');

/** Resolves when each container is healthy and `besides` holds. @throws with the unhealthy ones */
export async function untilHealthy(
  project: Project,
  timeoutS: number,
  besides: (containers: Container[]) => boolean = () => true,
): Promise<Container[]> {
  const deadlineMs = performance.now() + timeoutS * 1000;
  for (;;) {
    const containers = await project.containers();
    const ill = containers.filter((container) => !isHealthy(container));
    if (ill.length === 0 && besides(containers)) return containers;
    if (performance.now() > deadlineMs) {
      const names = ill.map(({ name, health, running }) => `${name} (${running ? health : 'ended'})`);
      throw new Error(
        `not healthy after ${timeoutS} s: ${names.join(', ') || 'a container that should have restarted'}`,
      );
    }
    await delay(300);
  }
}
