import type { Command } from '../command.ts';
import { partitions, partitionsUsage } from './partitions.ts';

export const partitionsCommand: Command = {
  name: 'partitions',
  about: 'list, make and drop the months of the large tables',
  usage: partitionsUsage,
  run: (args, { database, say }) => partitions(args, database(), say),
};
