import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LaunchOptions } from '@holdfast/local/launch/launch';
import { outputOf } from '@holdfast/testkit/command';

type Setup = Pick<LaunchOptions, 'migrate' | 'setRoles' | 'seed'>;

/** Prepares a database with the code of another tree, each step in its own process. */
export function setupOf(tree: string): Setup {
  /** `modules` are where this version and the one before keep the function. */
  const call = async (modules: string[], name: string, args: unknown[]) => {
    const module = modules.map((path) => join(tree, path)).find((path) => existsSync(path));
    if (!module) throw new Error(`${tree} has none of ${modules.join(', ')}`);
    const program = `import { ${name} } from ${JSON.stringify(module)};
      process.stdout.write(JSON.stringify((await ${name}(...JSON.parse(process.env.ARGUMENTS))) ?? null));
      process.exit(0);`;
    const env = { ...process.env, NODE_OPTIONS: '', ARGUMENTS: JSON.stringify(args) };
    return JSON.parse(await outputOf(process.execPath, ['--input-type=module', '-e', program], { env }));
  };
  return {
    migrate: (...args) => call(['packages/db/src/migrate/migrate.ts'], 'migrate', args),
    setRoles: (...args) =>
      call(['packages/db/src/roles/roles.ts', 'packages/db/src/roles/applyRoles.ts'], 'applyRoles', args),
    seed: (options) =>
      call(['packages/local/src/database.ts', 'packages/local/src/seed.ts'], 'seed', [
        { ...options, modelsDir: join(tree, 'models') },
      ]),
  };
}
