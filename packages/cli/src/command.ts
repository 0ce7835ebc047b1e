import type { Database } from '@holdfast/db/client';
import type { Inspector } from '@holdfast/queues/inspector';
import type { AdminApi } from './admin/api.ts';

/** What a command works with besides its arguments. */
export type Context = {
  /** The chosen database; the caller of the command closes it. @throws when none is known */
  openDatabase(): Promise<Database>;
  /** The URL of that database, for what needs a connection of its own. @throws when none is known */
  databaseUrl(): string;
  /** The chosen admin API; `stopped` aborts its requests. @throws when none is known */
  openAdmin(stopped?: AbortSignal): AdminApi;
  /** Looks into the chosen Redis; the caller of the command closes it. @throws when none is known, or it is not reached */
  openInspector(): Promise<Inspector>;
  /** The variables that name the providers' connections. */
  providerEnvironment(): NodeJS.ProcessEnv;
  /** Where each service reports its health, `/readyz` below; empty when that is not known. */
  serviceUrls(): { name: string; url: string }[];
  /** A line of the result, to standard output. */
  say(line: string): void;
  /** A line about progress, to standard error. */
  tell(line: string): void;
  /** Aborted when the reader of standard output has gone. */
  unheard: AbortSignal;
  /** Columns of the terminal on standard output; null for anything else. */
  width: number | null;
};

/**
 * Returns the exit code; `args` are those after the command's name, without the flags that every command has.
 * @throws UsageError for arguments it can't read; RefusedError for what the admin API refuses
 */
export type Run = (args: string[], context: Context) => Promise<number>;

/** What help and completion need to know of a command, without loading it. */
export type Command = {
  /** The words that call it: `ledger audit`. */
  name: string;
  about: string;
  /** How it is called, a line each. Flags, choices and operands are read from it for completion: see completion/words.ts. */
  usage: string;
  /** Calls as one would type them, a line each: for its own help. */
  examples?: string;
  /** Of a command that changes something without the admin API: whether it does with these arguments. The call is recorded then. */
  changes?(args: string[]): boolean;
  /** Loads its code, and with it the packages that only this command needs. */
  load(): Promise<Run>;
};
