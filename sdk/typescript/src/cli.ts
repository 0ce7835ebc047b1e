#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { Holdfast } from './client.ts';
import { version } from './config.ts';
import { HoldfastError } from './errors.ts';
import { modelTypes } from './modelTypes.ts';

const usage = `Usage: npx @holdfast/sdk types > models.d.ts

Writes TypeScript types of the models of your Holdfast, so that the compiler checks client.run(model, input).

  --url URL     the URL of your Holdfast; default: HOLDFAST_URL
  --key KEY     an API key; default: HOLDFAST_API_KEY
  --version     the version of this package
  --help        this help`;

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns what is wrong for wrong arguments. */
function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The rest is about arguments that this command does not have.
    return (error as Error).message.split(/(?<=\.) /, 1)[0] ?? '';
  }
}

/** Returns the exit code: 1 after a failure, 2 for arguments that are wrong. */
async function main(args: string[]): Promise<number> {
  const read = readArguments(args);
  if (typeof read === 'string') {
    process.stderr.write(`${read}\n\n${usage}\n`);
    return 2;
  }
  const { values, positionals } = read;
  if (values.version || values.help) {
    process.stdout.write(`${values.help ? usage : version}\n`);
    return 0;
  }
  if (positionals.join(' ') !== 'types') {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const client = new Holdfast({
    ...(values.url !== undefined && { baseUrl: values.url }),
    ...(values.key !== undefined && { apiKey: values.key }),
  });
  const models = await client.models.list().toArray();
  process.stdout.write(modelTypes(models, 'your Holdfast'));
  process.stderr.write(`Wrote the types of ${models.length} models.\n`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof HoldfastError || error instanceof TypeError;
  process.stderr.write(`${isExpected ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
