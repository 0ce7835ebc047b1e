/** What an error says before its words, which may name a host: `dns`, or all of `answered 500`. */
export const stageSql = (error: string) => `split_part(${error}, ':', 1)`;
