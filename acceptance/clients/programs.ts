import { join } from 'node:path';
import { runCommand } from '@holdfast/testkit/command';
import { pythonEnvironment, Skipped } from '../providers/pythonEnvironment.ts';
import { installDependencies } from '../stack/dependencies.ts';
import { machineEnvironment } from './sdk/installed.ts';

export type Line = Record<string, unknown>;

/** Programs of a folder, each of which prints a line of JSON for each of its calls. */
export function programsIn(tools: string) {
  async function linesOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<Line[]> {
    const { code, stdout, stderr } = await runCommand(command, args, {
      cwd: tools,
      env: { ...machineEnvironment(), ...env },
      timeoutMs: 280_000,
    });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr.slice(-3000)}`);
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  }

  return {
    install: () => installDependencies(tools),
    runNode: (file: string, env: NodeJS.ProcessEnv, node = process.execPath) => linesOf(node, [file], env),
    /** Null, with the reason on the console, where its packages cannot be installed. */
    async runPython(
      file: string,
      env: NodeJS.ProcessEnv,
      { name, packages }: { name: string; packages: string[] },
    ): Promise<Line[] | null> {
      try {
        const { signal } = new AbortController();
        const folder = await pythonEnvironment(name, packages, console.warn, signal);
        return await linesOf(join(folder, 'bin/python'), [file], env);
      } catch (error) {
        if (!(error instanceof Skipped)) throw error;
        console.warn(`${file} is not run: ${error.message}.`);
        return null;
      }
    },
  };
}
