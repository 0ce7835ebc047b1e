import { join } from 'node:path';
import type { LaunchOptions } from '@holdfast/local/launch/launch';
import { outputOf } from '@holdfast/testkit/command';

type Setup = Pick<LaunchOptions, 'migrate' | 'setRoles' | 'seed'>;

/** Prepares a database with the code of another tree, each step in its own process. */
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
    setRoles: (...args) => call('packages/db/src/roles/roles.ts', 'applyRoles', args),
    seed: (options) =>
      call('packages/local/src/database.ts', 'seed', [{ ...options, modelsDir: join(tree, 'models') }]),
  };
}
