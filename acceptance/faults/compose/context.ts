import type { Check } from './checks.ts';
import type { Project } from './project.ts';
import type { Settings } from './settings.ts';

/** The context of every part of the test. */
export type TestContext = {
  project: Project;
  settings: Settings;
  /** The environment for other commands: docker's, including the settings. */
  environment: NodeJS.ProcessEnv;
  check: Check;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** Ends the test, because later checks depend on a failed one, which was reported. */
export class GivenUp extends Error {}

/** A check whose result later checks need. @throws GivenUp if it fails */
export async function need<Result>(
  { check }: TestContext,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  if (!(await check(name, async () => void results.push(await work())))) throw new GivenUp();
  return results[0] as Result;
}
