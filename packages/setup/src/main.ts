// Prepares everything that the services need, then ends.
import { readConfig } from './config.ts';
import { setUp } from './setUp.ts';

try {
  await setUp(readConfig(), (line) => process.stdout.write(`${line}\n`));
  process.exit(0);
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
