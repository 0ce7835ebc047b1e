import { diskSpaces, leastFreeBytes, shownBytes } from '@holdfast/kit/diskSpace';
import type { Check } from '../findings.ts';

/** Five times what Holdfast needs at least is time to act. */
const fewBytes = 5 * leastFreeBytes;

const check = 'disk';
const fix = 'free some space, or move the data to a larger disk';

export const diskCheck: Check = {
  check,
  fix,
  runbook: 'doctor#disk',
  async run(context) {
    const folders = [...context.dataFolders(), context.providerEnvironment()['FILE_DISK_PATH'] ?? ''];
    const spaces = diskSpaces(folders.filter((folder) => folder !== ''));
    if (spaces.length === 0)
      return [{ state: 'skipped', check, found: 'no folder of the data is on this machine' }];
    return spaces.map(({ folder, freeBytes }) => {
      const found = `${shownBytes(freeBytes)} left for ${folder}`;
      if (freeBytes >= fewBytes) return { state: 'ok', check, found };
      const state = freeBytes < leastFreeBytes ? 'error' : 'warning';
      return { state, check, found, fix };
    });
  },
};
