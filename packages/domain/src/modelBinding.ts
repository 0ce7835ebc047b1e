import type { ModelDefinition } from './modelDefinition.ts';

export type DefinitionVersions = {
  /** When the execution was created. */
  created: ModelDefinition;
  /** When the attempt was started. */
  started: ModelDefinition;
  current: ModelDefinition;
};

/**
 * Which version of a model's file applies to an attempt, by field. What a client was promised stays as it was at create; how a
 * provider's response is read belongs to the provider that makes it; whom the next try goes to is up to the operator now.
 */
const bindings = {
  slug: 'created',
  input_schema: 'created',
  price: 'created',
  estimate: 'created',
  missing_usage: 'created',
  timeout_s: 'created',
  on_cancel: 'created',
  bytes_per_token: 'created',
  stream: 'created',
  stream_restart: 'started',
  output: 'started',
  usage: 'started',
  provider_price: 'started',
  errors: 'started',
  show_to_clients: 'started',
  providers: 'current',
  on_busy: 'current',
  limits: 'current',
  active: 'current',
  display_name: 'current',
  aliases: 'current',
  openai: 'current',
  description: 'current',
} as const satisfies Record<keyof ModelDefinition, keyof DefinitionVersions>;

/** `providers` are those of the next try, not the attempt's own. The same object while the model has not changed. */
export function boundDefinition(versions: DefinitionVersions): ModelDefinition {
  const { created, started, current } = versions;
  if (created === current && started === current) return current;
  const fields = Object.entries(bindings) as [keyof ModelDefinition, keyof DefinitionVersions][];
  const bound = fields.flatMap(([field, version]) =>
    field in versions[version] ? [[field, versions[version][field]]] : [],
  );
  return Object.fromEntries(bound) as ModelDefinition;
}
