/**
 * How the `webhook_url` of an execution is called that a compatible API created: in the words of another service, at these
 * events. The rest is what only the API knows.
 */
export type WebhookDialect = ReplicateDialect | FalDialect;

export type ReplicateDialect = {
  name: 'replicate';
  events: ('start' | 'completed')[];
  /** The names of the model, as the client knows it. */
  model: string;
  version: string;
  /** The URL of the API. */
  base: string;
};

export type FalDialect = { name: 'fal'; events: 'completed'[]; base: string };
