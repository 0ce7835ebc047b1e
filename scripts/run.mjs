#!/usr/bin/env node
// Runs every task: prepares the clone, then runs the task under the pinned Node 24.
import { UserError } from './child.mjs';
import { ensureReady } from './dependencies.mjs';
import { tasks } from './tasks.mjs';

const [name, ...args] = process.argv.slice(2);

function help() {
  const lines = Object.entries(tasks).map(([task, { about }]) => `  ${task.padEnd(17)}${about}`);
  return ['Usage: npm run <task> [-- arguments]', '', ...lines].join('\n');
}

async function main() {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(help());
    return name === undefined ? 2 : 0;
  }
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (!task)
    throw new UserError(`There is no task "${name}". The tasks are ${Object.keys(tasks).join(', ')}.`);
  if (task.isPlain && args.includes('--help')) {
    console.log(`npm run ${name}: ${task.about}`);
    return 0;
  }
  await ensureReady();
  return await task.run(args);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
