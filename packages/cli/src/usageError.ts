/** Arguments that can't be read: told in one line, with a hint at --help. */
export class UsageError extends Error {}
