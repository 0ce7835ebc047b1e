import { setTimeout as delay } from 'node:timers/promises';
import type { Container, Project } from './project.ts';

const isWell = ({ running, health, service, exitCode }: Container) =>
  service === 'migrate' ? !running && exitCode === 0 : running && (health === 'healthy' || health === 'none');

/** Resolves when each container is well, and `besides` holds. @throws with those that are not */
export async function untilWell(
  project: Project,
  timeoutS: number,
  besides: (containers: Container[]) => boolean = () => true,
): Promise<Container[]> {
  const deadlineMs = performance.now() + timeoutS * 1000;
  for (;;) {
    const containers = await project.containers();
    const ill = containers.filter((container) => !isWell(container));
    if (ill.length === 0 && besides(containers)) return containers;
    if (performance.now() > deadlineMs) {
      const names = ill.map(({ name, health, running }) => `${name} (${running ? health : 'ended'})`);
      throw new Error(
        `not well after ${timeoutS} s: ${names.join(', ') || 'a container that was to restart'}`,
      );
    }
    await delay(300);
  }
}
