import type { Check } from './checks.ts';
import type { Project } from './project.ts';
import type { Settings } from './settings.ts';

/** What every part of the test works with. */
export type Stage = {
  project: Project;
  settings: Settings;
  /** For commands other than docker: what docker gets, the settings included. */
  environment: NodeJS.ProcessEnv;
  check: Check;
  say: (line: string) => void;
  signal: AbortSignal;
};

/** The checks that would follow can't be made; why was told. */
export class GivenUp extends Error {}

/** A check on whose result everything after it rests. @throws GivenUp when it does not hold */
export async function need<Result>(
  { check }: Stage,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const results: Result[] = [];
  if (!(await check(name, async () => void results.push(await work())))) throw new GivenUp();
  return results[0] as Result;
}
