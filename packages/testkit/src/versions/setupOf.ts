import { join } from 'node:path';
import type { LaunchOptions } from '@holdfast/local/launch/launch';
import { outputOf } from '../command.ts';

type Setup = Pick<LaunchOptions, 'migrate' | 'setRoles' | 'seed'>;

/** How another tree prepares a database, each step in a process of its own. */
export function setupOf(tree: string): Setup {
  const call = async (module: string, name: string, args: unknown[]) => {
    const program = `import { ${name} } from ${JSON.stringify(join(tree, module))};
      process.stdout.write(JSON.stringify((await ${name}(...JSON.parse(process.env.ARGUMENTS))) ?? null));
      process.exit(0);`;
    const env = { ...process.env, NODE_OPTIONS: '', ARGUMENTS: JSON.stringify(args) };
    return JSON.parse(await outputOf(process.execPath, ['--input-type=module', '-e', program], { env }));
  };
  return {
    migrate: (...args) => call('packages/db/src/migrate/migrate.ts', 'migrate', args),
    setRoles: (...args) => call('packages/db/src/roles/applyRoles.ts', 'applyRoles', args),
    seed: (...args) => call('packages/local/src/seed.ts', 'seed', args),
  };
}
