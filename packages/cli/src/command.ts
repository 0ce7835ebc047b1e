import type { Database } from '@holdfast/db/client';
import type { Inspector } from '@holdfast/queues/inspector';
import type { AdminApi } from './admin/api.ts';
import type { ApiAccess } from './config.ts';

export type Context = {
  /** The chosen database; closed when the command ends. @throws when none is known */
  openDatabase(): Promise<Database>;
  /** The URL of that database. @throws when none is known */
  databaseUrl(): string;
  /** The chosen admin API; `stopped` aborts its requests. @throws when none is known */
  openAdmin(stopped?: AbortSignal): AdminApi;
  /** Where browsers find the console: as given, else as configured. @throws when nothing is known */
  consoleOrigin(given: string | undefined): string;
  /** Where the API is, and with which key. @throws when one of them is not known */
  apiAccess(given: { url?: string | undefined; key?: string | undefined }): ApiAccess;
  /** The queues in the chosen Redis; closed when the command ends. @throws when none is known or reachable */
  openInspector(): Promise<Inspector>;
  /** The variables that name the providers' connections. */
  providerEnvironment(): NodeJS.ProcessEnv;
  /** Where the local `npm start` keeps its data; empty when none runs, or another database is named. */
  dataFolders(): string[];
  /** The base URL of each service's `/readyz`; empty when unknown. */
  serviceUrls(): { name: string; url: string }[];
  print(line: string): void;
  /** A part of the output as it is, without the end of a line. */
  write(part: string | Uint8Array): void;
  /** A line about progress, to standard error. */
  report(line: string): void;
  /** The same, in place of the last such line on a terminal. Nothing, where there is no terminal. */
  reportProgress(line: string): void;
  /** Aborted when the reader of standard output is gone. */
  outputClosed: AbortSignal;
  /** Columns of the terminal on standard output; null for anything else. */
  width: number | null;
};

/** Returns the exit code; `args` lack the command's name and common flags. @throws UsageError, RefusedError */
export type RunCommand = (args: string[], context: Context) => Promise<number>;

/** What help and completion need of a command, without loading it. */
export type Command = {
  /** The words that call it: `ledger audit`. */
  name: string;
  about: string;
  /** Its forms, a line each. Completion reads flags, choices and operands from it: see completion/positions.ts. */
  usage: string;
  examples?: string;
  /** Whether it changes something without the admin API, with these arguments: the call is recorded then. */
  changes?(args: string[]): boolean;
  /** Loads its code, and with it the packages that only this command needs. */
  load(): Promise<RunCommand>;
};
