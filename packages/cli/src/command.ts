import type { Database } from '@holdfast/db/client';

/** What a command works with besides its arguments. */
export type Context = {
  /** The database that was asked for, closed by whoever called the command. @throws when there is none to be found */
  openDatabase(): Database;
  /** The variables that name the providers' connections. */
  providerEnvironment(): NodeJS.ProcessEnv;
  /** A line of what was asked for, to standard output. */
  say(line: string): void;
  /** A line on how it goes, to standard error. */
  tell(line: string): void;
};

export type Command = {
  /** The words that call it: `ledger audit`. */
  name: string;
  about: string;
  /** How it is called, a line each. */
  usage: string;
  /**
   * Answers the exit code; `args` are those after its name, without the flags that every command has.
   * @throws UsageError for arguments it can't read
   */
  run(args: string[], context: Context): Promise<number>;
};
