// Prepares everything that the services need, then ends.
import { useCell } from '@holdfast/domain/ids';
import { readConfig } from './config.ts';
import { setUp } from './setUp.ts';

try {
  const config = readConfig();
  useCell(config.cell);
  await setUp(config, (line) => process.stdout.write(`${line}\n`));
  process.exit(0);
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
