import { join } from 'node:path';
import { programsIn } from '../programs.ts';

const { install, runNode: node, runPython: python } = programsIn(join(import.meta.dirname, 'tools'));

/** LlamaIndex needs an older client of OpenAI's than the others. */
export const requirements = {
  openai: ['openai==3.3.0', 'langchain-openai==1.7.4', 'litellm==1.110.2', 'instructor==1.17.0'],
  llamaindex: ['llama-index-llms-openai-like==0.8.1', 'llama-index-embeddings-openai-like==0.4.0'],
};

export type Remote = { baseUrl: string; apiKey: string };

const environmentOf = ({ baseUrl, apiKey }: Remote, more: Record<string, string> = {}) => ({
  // Or it is fetched.
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  ...more,
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: apiKey,
});

export const installNode = install;

/** What a program printed, run by this Node, or by the machine's. `more` are further environment variables. */
export const runNode = (file: string, remote: Remote, more: Record<string, string> = {}, command?: string) =>
  node(file, environmentOf(remote, more), command);

/** What a program printed; null where its packages cannot be installed. */
export const runPython = (
  file: string,
  remote: Remote,
  needs: keyof typeof requirements = 'openai',
  more: Record<string, string> = {},
) => python(file, environmentOf(remote, more), { name: `${needs}-clients`, packages: requirements[needs] });
