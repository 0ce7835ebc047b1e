// What has to be there before the services start; ends when it is.
import { readConfig } from './config.ts';
import { setUp } from './setUp.ts';

try {
  await setUp(readConfig(), (line) => process.stdout.write(`${line}\n`));
  process.exit(0);
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
