import { rmSync } from 'node:fs';
import type { Project } from './project.ts';

/** Removes everything that the project made, including its images and folder; the build cache stays. */
export async function remove(project: Project): Promise<void> {
  try {
    await project.attempt('down', '--volumes', '--remove-orphans', '--timeout', '5');
    const images = (await project.leftovers()).filter((name) => name.startsWith(`${project.name}-`));
    if (images.length > 0) await project.docker('image', 'rm', ...images);
    const left = await project.leftovers();
    if (left.length > 0) throw new Error(`could not be removed: ${left.join(', ')}`);
  } finally {
    rmSync(project.folder, { recursive: true, force: true });
  }
}
