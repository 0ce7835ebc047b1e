/** The admin API has answered, and said no: what was asked for can't be done as things are. */
export class RefusedError extends Error {}
