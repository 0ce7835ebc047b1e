import type { Database } from '@holdfast/db/client';
import type { Inspector } from '@holdfast/queues/inspector';
import type { AdminApi } from './admin/api.ts';

/** What a command works with besides its arguments. */
export type Context = {
  /** The database that was asked for, closed by whoever called the command. @throws when there is none to be found */
  openDatabase(): Database;
  /** Where that database is, for what works on a connection of its own. @throws when there is none to be found */
  databaseUrl(): string;
  /** The admin API that was asked for; `stopped` ends what it is being asked. @throws when there is none to be found */
  openAdmin(stopped?: AbortSignal): AdminApi;
  /** What looks into Redis, closed by whoever called the command. @throws when there is none to be found, or reached */
  openInspector(): Promise<Inspector>;
  /** The variables that name the providers' connections. */
  providerEnvironment(): NodeJS.ProcessEnv;
  /** Where each service tells how it does, `/readyz` below; empty when that is not known. */
  serviceUrls(): { name: string; url: string }[];
  /** A line of what was asked for, to standard output. */
  say(line: string): void;
  /** A line on how it goes, to standard error. */
  tell(line: string): void;
  /** Comes when nobody reads standard output any more. */
  unheard: AbortSignal;
  /** Columns of the terminal that reads it; null when something else does. */
  width: number | null;
};

export type Command = {
  /** The words that call it: `ledger audit`. */
  name: string;
  about: string;
  /** How it is called, a line each. Flags, choices and operands are read from it for completion: see completion/words.ts. */
  usage: string;
  /** Calls as one would type them, a line each: for its own help. */
  examples?: string;
  /** Of one that changes something without the admin API: whether it does with these arguments. It is written down then. */
  changes?(args: string[]): boolean;
  /**
   * Answers the exit code; `args` are those after its name, without the flags that every command has.
   * @throws UsageError for arguments it can't read; RefusedError for what the admin API refuses
   */
  run(args: string[], context: Context): Promise<number>;
};
