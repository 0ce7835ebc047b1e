import { join } from 'node:path';
import { programsIn } from '../programs.ts';

const { install, runNode: node, runPython: python } = programsIn(join(import.meta.dirname, 'tools'));

export const packages = ['replicate==1.0.7'];

export type Remote = { baseUrl: string; apiKey: string };

/** The environment is all that the programs are told; the client for JavaScript reads no base URL from it. */
const environmentOf = ({ baseUrl, apiKey }: Remote, more: Record<string, string> = {}) => ({
  ...more,
  REPLICATE_BASE_URL: baseUrl,
  REPLICATE_API_TOKEN: apiKey,
});

export const installNode = install;

/** What a program printed. `more` are further environment variables. */
export const runNode = (file: string, remote: Remote, more?: Record<string, string>) =>
  node(file, environmentOf(remote, more));

/** What a program printed; null where its packages cannot be installed. */
export const runPython = (file: string, remote: Remote, more?: Record<string, string>) =>
  python(file, environmentOf(remote, more), { name: 'replicate-clients', packages });
