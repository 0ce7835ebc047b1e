import type { z } from 'zod';

/** A queue: where hints about due work are passed. The truth is in Postgres; a job may come twice, at once, or never. */
export type QueueDefinition<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Jobs of equal id are one job while it waits or runs. Never contains `:`, is never all digits. */
  jobId(payload: Payload): string;
  /** Times a throwing job is tried before it is left to the sweep. */
  tries: number;
};

export function defineQueue<Payload>(definition: QueueDefinition<Payload>): QueueDefinition<Payload> {
  return definition;
}

/** All keys of one queue stand under one hash tag, so that they live together in a cluster. */
export function queuePrefix(name: string): string {
  return `{holdfast-${name}}`;
}

export type PayloadOf<Definition> = Definition extends QueueDefinition<infer Payload> ? Payload : never;
