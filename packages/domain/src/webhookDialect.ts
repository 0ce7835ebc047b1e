/** What may change while an execution runs. */
export const updateTypes = ['output', 'logs'] as const;
export type UpdateType = (typeof updateTypes)[number];

/** A call while an execution runs: no event, for nothing is lost with it that the next one has not. */
export const updateEventType = 'execution.updated';

/** At most one call of an execution within this time. */
export const updateEveryMs = 500;

/**
 * How the `webhook_url` of an execution is called that a compatible API created: in the words of another service, at these
 * events. The rest is what only the API knows.
 */
export type WebhookDialect = ReplicateDialect | FalDialect | OpenaiDialect;

export type ReplicateDialect = {
  name: 'replicate';
  events: ('start' | UpdateType | 'completed')[];
  /** The names of the model, as the client knows it. */
  model: string;
  version: string;
  /** The URL of the API. */
  base: string;
};

export type FalDialect = { name: 'fal'; events: 'completed'[]; base: string };

/** OpenAI's requests have no `webhook_url`; its endpoints are told what kind of thing has ended. */
export type OpenaiDialect = { name: 'openai'; events: never[]; operation: 'videos' };

export const openaiVideo: OpenaiDialect = { name: 'openai', events: [], operation: 'videos' };
