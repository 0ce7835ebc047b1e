import type { Database } from '@holdfast/db/client';

/** What a command works with besides its arguments. */
export type Context = {
  /** The database that was asked for, opened at the first call. @throws NoDatabaseError */
  database(): Database;
  /** A line of what was asked for, to standard output. */
  say(line: string): void;
  /** A line on how it goes, to standard error. */
  tell(line: string): void;
};

export type Command = {
  /** The words that call it: `ledger audit`. */
  name: string;
  /** One line of the help. */
  about: string;
  /** The lines of its own help: how it is called, what its flags and exit codes mean. */
  usage: string;
  /**
   * Answers the exit code; `args` are those after its name, without the flags that every command takes.
   * @throws UsageError for arguments it can't read
   */
  run(args: string[], context: Context): Promise<number>;
};
