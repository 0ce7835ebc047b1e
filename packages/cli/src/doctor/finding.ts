import type { Context } from '../command.ts';

/** `warn`: works, and might not for long. `skipped`: it can't be told from here. */
export type State = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a check has found, and how to mend it. */
export type Finding = { state: State; check: string; found: string; mend?: string };

/** Looks at one thing. What it throws is a failure of `check`. */
export type Check = { check: string; mend: string; look(context: Context): Promise<Finding[]> };
