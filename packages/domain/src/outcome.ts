import type { ExecutionErrorCode } from './errors.ts';
import type { ModelDefinition } from './modelDefinition.ts';
import type { ProviderText } from './modelResponse.ts';
import type { ProviderRoute } from './modelRoute.ts';
import type { Money } from './money.ts';

export type Outcome = Success | Failure;

export type Success = {
  ok: true;
  /** Files are provider references (URLs, data URIs) until they are copied. */
  output: Record<string, unknown>;
  usage: { inputTokens: number; outputTokens: number };
  measured: {
    /** The time that the run took. */
    seconds?: number;
    /** The length of the videos and audio in the output. */
    outputSeconds?: number;
    images?: number;
    megapixels?: number;
    cost?: Money;
  };
  /** Why a text ended, as OpenAI names it: `stop`, `length`, `tool_calls`. */
  finishReason?: string;
  /** The provider of a stream reported no tokens: they were counted by its bytes. */
  isUsageEstimated?: true;
};

export type Failure = {
  ok: false;
  code: ExecutionErrorCode;
  /** Our own text, or what the model lets through (`show_to_clients`, `errors`). */
  message: string;
  /** The provider's own text: for operators only. */
  raw?: string;
  /** The run that was thrown away: it may have cost something at the provider. */
  run?: Success;
};

export type RecordedOutcome =
  | {
      ok: true;
      output: Record<string, unknown>;
      inputTokens: number;
      outputTokens: number;
      cost: Money;
      billed?: Billed;
      finishReason?: string;
    }
  | Omit<Failure, 'raw' | 'run'>;

/** The quantities, beside tokens, that a run was charged for; only what its model prices. */
export type Billed = {
  seconds?: number;
  images?: number;
  megapixels?: number;
  characters?: number;
  input_seconds?: number;
  input_megapixels?: number;
  /** By the input property that has the number. */
  units?: Record<string, number>;
  /** Names of those, tokens included, that the run neither reported nor showed: they count as estimated. */
  estimated?: string[];
  /** The tokens of a stream whose provider reported none were counted by its bytes. */
  usage_estimated?: true;
};

export type SentField = { name: string; schema: unknown };

export type OutcomeMapping = Pick<ModelDefinition, 'usage' | 'errors'> & {
  output: Pick<ModelDefinition['output'], 'kind' | 'pointer' | 'files'>;
  show?: readonly ProviderText[];
  /** Fields the client controls, by the provider's names: errors about others are not the client's. */
  fields?: Readonly<Record<string, SentField>>;
};

type MappedModel = Pick<ModelDefinition, 'usage' | 'errors' | 'input_schema' | 'show_to_clients'> & {
  output: OutcomeMapping['output'];
};

export function mappingOf(
  { output, usage, errors, show_to_clients: show, input_schema: schema }: MappedModel,
  route: Pick<ProviderRoute, 'pointer' | 'usage' | 'errors' | 'input'>,
  input: Record<string, unknown> = {},
): OutcomeMapping {
  const usedUsage = route.usage ?? usage;
  let sent: ReturnType<typeof sentFields> | undefined;
  return {
    output: { ...output, ...(route.pointer !== undefined && { pointer: route.pointer }) },
    errors: route.errors ?? errors,
    show,
    // Only a refusal reads them.
    get fields() {
      sent ??= sentFields(schema, route.input, input);
      return sent;
    },
    ...(usedUsage && { usage: usedUsage }),
  };
}

function sentFields(
  { properties }: Record<string, unknown>,
  changes: ProviderRoute['input'],
  input: Record<string, unknown>,
): Record<string, SentField> {
  const { rename = {}, omit = [], set = {} } = changes ?? {};
  const renamed = new Map(Object.entries(rename));
  const schemas = new Map<string, unknown>(Object.entries(properties ?? {}));
  const sent = [...new Set([...schemas.keys(), ...Object.keys(input)])]
    .filter((name) => !omit.includes(name))
    .map((name): [string, SentField] => [renamed.get(name) ?? name, { name, schema: schemas.get(name) }]);
  return Object.fromEntries(sent.filter(([name]) => !Object.hasOwn(set, name)));
}
