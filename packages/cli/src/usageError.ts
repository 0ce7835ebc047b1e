/** Arguments that can't be read: reported in one line, with a hint at --help. */
export class UsageError extends Error {}

/** A flag that the command does not have. */
export class UnknownFlagError extends UsageError {
  readonly flag: string;

  constructor(flag: string) {
    super(`there is no flag ${flag}`);
    this.flag = flag;
  }
}
