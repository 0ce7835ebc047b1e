import { bentoml } from './bentoml/bentoml.ts';
import { cog } from './cog/cog.ts';
import { gradio } from './gradio/gradio.ts';
import type { Holdfast } from './holdfast.ts';
import { litellm } from './litellm/litellm.ts';
import { mlserver } from './mlserver/mlserver.ts';
import type { PythonServer } from './pythonServer.ts';

/** What a case works with: the system under test, and the server beside it, started and idle. */
export type Bench = { holdfast: Holdfast; server: PythonServer };

/** One promise about one server. It fails by throwing, and leaves the server idle. */
export type Case = { title: string; run(bench: Bench): Promise<void> };

/** One model server from PyPI, and what Holdfast promises of it. */
export type Suite = {
  /** What pip installs, pinned. */
  requirements: string[];
  /** The environment variables by which Holdfast reaches it. */
  connections(url: string): Record<string, string>;
  /** How it is started: a program of its virtual environment, in `folder`. */
  command(port: number): { program: string; args: string[]; folder: string; env?: Record<string, string> };
  /** The path that responds once the server is ready, and whether the body must confirm it. */
  ready: { path: string; says?(body: string): boolean };
  cases: Case[];
};

/** The servers under test, by the name that `--only` takes. */
export const suites: Record<string, Suite> = { cog, litellm, bentoml, mlserver, gradio };
