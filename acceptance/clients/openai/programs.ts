import { join } from 'node:path';
import { runCommand } from '@holdfast/testkit/command';
import { pythonEnvironment, Skipped } from '../../providers/pythonEnvironment.ts';
import { installDependencies } from '../../stack/dependencies.ts';
import { machineEnvironment } from '../sdk/installed.ts';

const tools = join(import.meta.dirname, 'tools');

/** LlamaIndex needs an older client of OpenAI's than the others. */
const requirements = {
  openai: ['openai==3.3.0', 'langchain-openai==1.7.4', 'litellm==1.110.2', 'instructor==1.17.0'],
  llamaindex: ['llama-index-llms-openai-like==0.8.1', 'llama-index-embeddings-openai-like==0.4.0'],
};

export type Remote = { baseUrl: string; apiKey: string };

const environmentOf = ({ baseUrl, apiKey }: Remote, more: Record<string, string> = {}) => ({
  ...machineEnvironment(),
  // Or it is fetched.
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  ...more,
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: apiKey,
});

type Line = Record<string, unknown>;

async function linesOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<Line[]> {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd: tools, env, timeoutMs: 280_000 });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr.slice(-3000)}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

export const installNode = () => installDependencies(tools);

/** What a program printed, run by this Node, or by the machine's. `more` are further environment variables. */
export const runNode = (
  file: string,
  remote: Remote,
  more: Record<string, string> = {},
  node = process.execPath,
) => linesOf(node, [file], environmentOf(remote, more));

/** What a program printed; null, with the reason on the console, where its packages cannot be installed. */
export async function runPython(
  file: string,
  remote: Remote,
  needs: keyof typeof requirements = 'openai',
  more: Record<string, string> = {},
): Promise<Line[] | null> {
  try {
    const { signal } = new AbortController();
    const folder = await pythonEnvironment(`${needs}-clients`, requirements[needs], console.warn, signal);
    return await linesOf(join(folder, 'bin/python'), [file], environmentOf(remote, more));
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.warn(`${file} is not run: ${error.message}.`);
    return null;
  }
}
