import { join } from 'node:path';
import { type DiskSpace, diskSpaces, leastFreeBytes, shownBytes } from '@holdfast/kit/diskSpace';
import { postgresFolders } from '../postgres/dataFolder.ts';
import type { Home } from './home.ts';
import { LaunchError } from './launchError.ts';

/** The folders that fill while Holdfast runs. */
export const dataFolders = ({ folder, data }: Home) => [
  folder,
  data,
  ...postgresFolders(join(data, 'postgres')),
];

const isLow = ({ freeBytes }: DiskSpace) => freeBytes < leastFreeBytes;
const roomOf = ({ folder, freeBytes }: DiskSpace) =>
  `the disk of ${folder} has ${shownBytes(freeBytes)} left`;

/** @throws LaunchError for a disk that is full or nearly so */
export function requireSpace(folders: string[], measure = diskSpaces): void {
  const low = measure(folders).find(isLow);
  if (low === undefined) return;
  throw new LaunchError(
    `Not enough space: ${roomOf(low)}, and Holdfast needs ${shownBytes(leastFreeBytes)}: free some, or choose a folder on another disk by HOLDFAST_HOME.`,
  );
}

const everyMs = 5000;

/** Says once that a disk is nearly full, and once that it has room again. Returns the function that ends the watch. */
export function watchSpace(folders: string[], say: (line: string) => void, measure = diskSpaces): () => void {
  const low = new Set<string>();
  const look = () => {
    for (const space of measure(folders)) {
      if (isLow(space) === low.has(space.folder)) continue;
      if (low.delete(space.folder)) say(`${roomOf(space)}: it has room again.`);
      else {
        low.add(space.folder);
        say(
          `Nearly full: ${roomOf(space)}. Executions fail once nothing can be written: free some space now.`,
        );
      }
    }
  };
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}
