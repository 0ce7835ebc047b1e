import type { Context } from '../command.ts';

/** `warning`: works, and might not for long. `skipped`: can't be checked from here. */
export type State = 'ok' | 'warning' | 'error' | 'skipped';

/** What a check has found, and how to fix it. */
export type Finding = {
  state: State;
  check: string;
  found: string;
  fix?: string;
  /** As a check's, where it is another. */
  runbook?: string;
};

/** Checks one thing. What it throws is an error of `check`. */
export type Check = {
  check: string;
  fix: string;
  /** The page in docs/runbooks, without `.md`; a section of doctor.md is `doctor#section`. */
  runbook: string;
  look(context: Context): Promise<Finding[]>;
};
